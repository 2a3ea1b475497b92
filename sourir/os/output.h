// Writing to a file descriptor: buffered, with the errors kept, so that a full disk or a reader
// that has gone is found out and said, never ignored.
#pragma once

#include "sourir/os/files.h"

#include <optional>
#include <string>
#include <string_view>

namespace sourir {

class Output {
public:
  // Does not own the descriptor. `name` is for messages.
  Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void write_line(std::string_view text); // and its end
  // Everything that was written leaves the process. False once something could not be written.
  bool flush();
  // Flush at each write from here on.
  void flush_always() { always_ = true; }

  bool failed() const { return error_ != 0; }
  bool reader_has_gone() const;
  // "cannot write standard output: No space left on device"; empty if nothing failed.
  std::string problem() const;

private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 16;

  int fd_;
  std::string name_, buffer_;
  int error_ = 0;
  bool always_ = false;
};

// A file that a run writes beside its output.
class SideFile {
public:
  // The problem, or nothing. An empty path: there is none.
  std::string open(const std::string& path) {
    if (path.empty()) return {};
    auto opened = open_to_write(path);
    if (auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
    file_ = std::get<OpenFile>(std::move(opened));
    out_.emplace(file_.fd(), path == "-" ? "standard output" : "'" + path + "'");
    return {};
  }
  Output* out() { return out_ ? &*out_ : nullptr; }
  // What could not be written, or nothing.
  std::string close() { return out_ && !out_->flush() ? out_->problem() : std::string(); }

private:
  OpenFile file_;
  std::optional<Output> out_; // flushed before the file is closed
};

Output& standard_output();
// Text to standard error, whatever becomes of it; standard output goes first.
void say(std::string_view text);
// "error: MESSAGE" on standard error.
void say_error(const std::string& message);
// The exit status of a command that came to `status`, after the last flush of standard output.
int finish(int status);

} // namespace sourir
