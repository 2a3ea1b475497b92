#include "sourir/os/output.h"

#include "sourir/os/exit_status.h"
#include "sourir/os/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sourir {

namespace {

// 0, or errno; interrupted writes continue.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

} // namespace

void Output::write(std::string_view text) {
  if (error_ != 0) return;
  buffer_ += text;
  if (always_ || buffer_.size() >= kFlushAt) flush();
}

void Output::write_line(std::string_view text) {
  if (error_ != 0) return;
  buffer_ += text;
  write("\n");
}

bool Output::flush() {
  if (error_ == 0) error_ = write_all(fd_, buffer_);
  buffer_.clear();
  return error_ == 0;
}

bool Output::reader_has_gone() const { return error_ == EPIPE; }

std::string Output::problem() const {
  if (error_ == 0) return {};
  return fmt::format("cannot write {}: {}", name_, std::strerror(error_));
}

Output& standard_output() {
  static Output output(STDOUT_FILENO, "standard output");
  return output;
}

void say(std::string_view text) {
  standard_output().flush();
  write_all(STDERR_FILENO, text);
}

void say_error(const std::string& message) {
  say(fmt::format("{} {}\n", error_word(), printable(message)));
}

int finish(int status) {
  Output& out = standard_output();
  out.flush();
  if (out.reader_has_gone()) return exit_status::kNobodyReads;
  if (out.failed()) {
    say(fmt::format("{} {}\n", error_word(), out.problem()));
    return exit_status::kUnwritable;
  }
  return status;
}

} // namespace sourir
