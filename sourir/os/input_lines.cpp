#include "sourir/os/input_lines.h"

#include "sourir/os/interrupt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sourir {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

ssize_t read_again(int fd, char* into) {
  ssize_t n = -1;
  do n = read(fd, into, kChunk);
  while (n < 0 && errno == EINTR);
  return n;
}

} // namespace

std::optional<std::string> InputLines::next() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = buffer_.find('\n', at_ + searched);
    if (end != std::string::npos) return take(end - at_, 1);
    searched = buffer_.size() - at_;
    if (searched > kLongestLine) {
      problem_ = fmt::format("cannot read {}: it has a line of more than {} MiB", name_,
                             kLongestLine >> 20);
      buffer_.clear();
      at_ = 0;
      file_ = {};
      return {};
    }
    if (fill()) continue;
    if (at_ == buffer_.size() || !problem_.empty() || interrupted()) return {};
    return take(buffer_.size() - at_, 0);
  }
}

// False at the end.
bool InputLines::fill() {
  if (file_.fd() < 0) return false;
  before_waiting_();
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  const ssize_t n = wait_readable(file_.fd()) ? read_again(file_.fd(), buffer_.data() + before) : 0;
  buffer_.resize(before + static_cast<std::size_t>(n > 0 ? n : 0));
  if (n < 0) problem_ = fmt::format("cannot read {}: {}", name_, std::strerror(errno));
  return n > 0;
}

std::string InputLines::take(std::size_t length, std::size_t skip) {
  std::string line = buffer_.substr(at_, length);
  at_ += length + skip;
  if (skip > 0 && line.ends_with('\r')) line.pop_back();
  return line;
}

} // namespace sourir
