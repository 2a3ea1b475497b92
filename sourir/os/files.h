// Whole files in and out, with messages for everything that can go wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace sourir {

struct FileProblem {
  std::string message; // "cannot read 'x.sou': No such file or directory"
};

// An open file of ours. -1 where there is none.
class OpenFile {
public:
  OpenFile() = default;
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile() { close(); }
  int fd() const { return fd_; }

private:
  void close();
  int fd_ = -1;
};

// "-" is standard input, and standard output.
std::variant<OpenFile, FileProblem> open_to_read(const std::string& path);
std::variant<OpenFile, FileProblem> open_to_write(const std::string& path);

// The bytes of a file, at most one more than `most`.
std::variant<std::string, FileProblem> read_file(const std::string& path, std::size_t most);

// Replaces the contents at once: readers see the old ones or the new ones. Keeps the mode;
// follows links. Files that are no regular ones (/dev/stdout) are written in place.
// The problem, or nothing.
std::string replace_file(const std::string& path, std::string_view contents);

// How a file is called in messages.
std::string display_name(const std::string& path);

bool same_file(const std::string& a, const std::string& b);

} // namespace sourir
