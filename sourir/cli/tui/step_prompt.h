// The command line at the bottom of the screen.
#pragma once

#include "sourir/cli/tui/step_terminal.h"

#include <functional>
#include <optional>

namespace sourir {

class Prompt {
public:
  using Complete = std::function<std::vector<std::string>(std::string_view line)>;
  explicit Prompt(Complete complete) : complete_(std::move(complete)) {}

  void open(std::string text);
  bool is_open() const { return open_; }
  // The line, once it is entered; it is remembered. Escape, and Backspace in an empty line, close.
  std::optional<std::string> key(const Key& key);

  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; } // in bytes
  // What Tab found, if it was not unique.
  const std::string& candidates() const { return candidates_; }

private:
  void insert(char32_t character);
  void erase(std::size_t begin, std::size_t end);
  void recall(bool older);
  void complete();
  std::size_t before(std::size_t at) const;
  std::size_t after(std::size_t at) const;

  Complete complete_;
  bool open_ = false;
  std::string text_, candidates_;
  std::size_t cursor_ = 0;
  std::vector<std::string> history_;
  std::size_t recalled_ = 0; // index into history_; its size: none
};

} // namespace sourir
