#include "sourir/fuzz/host/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace sourir {

namespace {

constexpr int kBusyMilliseconds = 10'000; // for another process that writes

[[noreturn]] void fail(sqlite3* db, const std::string& path) {
  const int code = db == nullptr ? SQLITE_NOMEM : sqlite3_errcode(db);
  const char* const text = db == nullptr ? "no memory" : sqlite3_errmsg(db);
  switch (code & 0xFF) {
  case SQLITE_NOTADB: throw DatabaseError(fmt::format("'{}' is no database", path), false);
  case SQLITE_CORRUPT: throw DatabaseError(fmt::format("'{}' is damaged ({})", path, text), false);
  case SQLITE_FULL:
  case SQLITE_READONLY:
  case SQLITE_IOERR: throw DatabaseError(fmt::format("cannot write '{}': {}", path, text), true);
  case SQLITE_BUSY:
    throw DatabaseError(fmt::format("'{}' is in use by another process", path), true);
  default: throw DatabaseError(fmt::format("'{}': {}", path, text), false);
  }
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Statement::Statement(sqlite3* db, std::string path, std::string_view sql)
    : db_(db), path_(std::move(path)) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) fail(db_, path_);
}

Statement& Statement::bind(int parameter, std::uint64_t value) {
  if (sqlite3_bind_int64(statement_.get(), parameter, static_cast<std::int64_t>(value)) !=
      SQLITE_OK)
    fail(db_, path_);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  if (sqlite3_bind_text64(statement_.get(), parameter, value.data(), value.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8) != SQLITE_OK)
    fail(db_, path_);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(db_, path_);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_.get());
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::string Statement::text(int column) const {
  const auto* const data = sqlite3_column_text(statement_.get(), column);
  if (data == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return {reinterpret_cast<const char*>(data), size};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

// Opened for writing where that is allowed, even to read: a transaction of a killed process has to
// be rolled back first.
Database::Database(const std::string& path, bool create) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &made, flags, nullptr);
  db_.reset(made);
  if (code != SQLITE_OK) {
    const std::string why = made == nullptr ? "no memory" : sqlite3_errmsg(made);
    throw DatabaseError(fmt::format("cannot open '{}': {}", path, why), create);
  }
  sqlite3_extended_result_codes(made, 0);
  sqlite3_busy_timeout(made, kBusyMilliseconds);
}

Database::Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Database::Transaction::~Transaction() {
  if (!done_) {
    try {
      database_.run("ROLLBACK");
    } catch (const DatabaseError&) { // it has ended by itself, then
    }
  }
}

void Database::Transaction::commit() {
  database_.run("COMMIT");
  done_ = true;
}

} // namespace sourir
