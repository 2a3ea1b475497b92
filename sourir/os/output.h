// Output to file descriptors: buffered, with the first error kept, so that a full disk or a closed
// pipe is reported; standard output, messages on standard error. One thread at a time.
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
  // Writes the buffer. False once something could not be written.
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
  // Returns the error, or nothing. An empty path: there is no file.
  std::string open(const std::string& path) {
    if (path.empty()) return {};
    auto opened = open_to_write(path);
    if (auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
    file_ = std::get<OpenFile>(std::move(opened));
    out_.emplace(file_.fd(), path == "-" ? "standard output" : "'" + path + "'");
    return {};
  }
  Output* out() { return out_ ? &*out_ : nullptr; }
  // Flushes. Returns the error of writing, or nothing.
  std::string close() { return out_ && !out_->flush() ? out_->problem() : std::string(); }

private:
  OpenFile file_;
  std::optional<Output> out_; // flushed before the file is closed
};

Output& standard_output();
// Text to standard error, errors ignored; flushes standard output first.
void say(std::string_view text);
// "error: MESSAGE" on standard error.
void say_error(const std::string& message);
// The last flush of standard output. The exit status: `status` unless that failed.
int finish(int status);

} // namespace sourir
