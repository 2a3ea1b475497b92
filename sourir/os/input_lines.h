// The lines that `read` gets, from a file or a terminal, each read when it is needed.
#pragma once

#include "sourir/os/files.h"

#include <functional>
#include <optional>
#include <string>

namespace sourir {

class InputLines {
public:
  // `before_waiting` is called before each read from the file. Without a file: no lines.
  InputLines(OpenFile file, std::string name, std::function<void()> before_waiting)
      : file_(std::move(file)), name_(std::move(name)), before_waiting_(std::move(before_waiting)) {
  }

  // The next line without its end (LF or CR LF); nothing at the end of the file, when the file
  // cannot be read or has a line of more than kLongestLine bytes, and after Ctrl-C.
  std::optional<std::string> next();

  // The error of reading; empty: none.
  const std::string& problem() const { return problem_; }

private:
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

  bool fill();
  std::string take(std::size_t length, std::size_t skip);

  OpenFile file_;
  std::string name_, buffer_, problem_;
  std::size_t at_ = 0; // the start of the next line in buffer_
  std::function<void()> before_waiting_;
};

} // namespace sourir
