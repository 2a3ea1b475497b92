// The only use of SQLite: a connection and prepared statements. All functions throw DatabaseError.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace sourir {

struct DatabaseError : std::runtime_error {
  DatabaseError(const std::string& message, bool cannot_write)
      : std::runtime_error(message), unwritable(cannot_write) {}
  bool unwritable; // no room, no permission: not a matter of what is in the file
};

// Parameters are numbered from 1, columns from 0.
class Statement {
public:
  Statement& bind(int parameter, std::uint64_t value);
  Statement& bind(int parameter, std::string_view value);
  // False when there are no more rows.
  bool step();
  // Runs it for its effect; it can be bound again then.
  void run();
  std::uint64_t number(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3* db, std::string path, std::string_view sql);

  sqlite3* db_;
  std::string path_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
public:
  // Where there is none, one is created, if `create`.
  Database(const std::string& path, bool create);

  Statement prepare(std::string_view sql) { return {db_.get(), path_, sql}; }
  void run(std::string_view sql) { prepare(sql).run(); }
  const std::string& path() const { return path_; }

  // All changes during its lifetime are stored by commit(), or none of them.
  class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Database& database_;
    bool done_ = false;
  };

private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
};

} // namespace sourir
