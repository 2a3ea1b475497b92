// Files: opening, reading and replacing whole ones. All errors are messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace sourir {

struct FileProblem {
  std::string message; // "cannot read 'x.sou': No such file or directory"
};

// Owns a file descriptor; -1: none.
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

// "-" is standard input, or standard output.
std::variant<OpenFile, FileProblem> open_to_read(const std::string& path);
std::variant<OpenFile, FileProblem> open_to_write(const std::string& path);

// The bytes of a file, at most `most` + 1: a longer result means that the file is too large.
std::variant<std::string, FileProblem> read_file(const std::string& path, std::size_t most);

// Replaces the contents at once: readers see the old ones or the new ones. Keeps the mode; follows
// links; writes files that are not regular (/dev/stdout) in place. Returns the error, or nothing.
std::string replace_file(const std::string& path, std::string_view contents);

// Makes the folder, with those that it lies in, where there is none. Returns the error, or nothing.
std::string make_folders(const std::string& path);

// The name of a file in messages.
std::string display_name(const std::string& path);

bool same_file(const std::string& a, const std::string& b);

} // namespace sourir
