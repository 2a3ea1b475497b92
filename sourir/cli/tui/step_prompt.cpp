#include "sourir/cli/tui/step_prompt.h"

#include <algorithm>

namespace sourir {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string utf8(char32_t c) {
  const auto tail = [](char32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(c >> 6), tail(c)};
  return {static_cast<char>(0xF0 | c >> 18), tail(c >> 12), tail(c >> 6), tail(c)};
}

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::ranges::mismatch(common, word);
    common.erase(end, common.end());
  }
  return common;
}

} // namespace

void Prompt::open(std::string text) {
  open_ = true;
  text_ = std::move(text);
  cursor_ = text_.size();
  recalled_ = history_.size();
  candidates_.clear();
}

std::size_t Prompt::before(std::size_t at) const {
  while (at > 0 && continues(text_[--at])) {
  }
  return at;
}

std::size_t Prompt::after(std::size_t at) const {
  while (at < text_.size() && ++at < text_.size() && continues(text_[at])) {
  }
  return at;
}

void Prompt::erase(std::size_t begin, std::size_t end) {
  text_.erase(begin, end - begin);
  cursor_ = begin;
}

void Prompt::insert(char32_t character) {
  constexpr std::size_t kLongest = 4000;
  if (character == 0x15) erase(0, cursor_); // Ctrl-U
  if (character < 0x20 || character == 0x7F || text_.size() > kLongest) return;
  const std::string bytes = utf8(character);
  text_.insert(cursor_, bytes);
  cursor_ += bytes.size();
}

void Prompt::recall(bool older) {
  if (older ? recalled_ == 0 : recalled_ >= history_.size()) return;
  recalled_ = older ? recalled_ - 1 : recalled_ + 1;
  text_ = recalled_ < history_.size() ? history_[recalled_] : std::string();
  cursor_ = text_.size();
}

void Prompt::complete() {
  const std::string head = text_.substr(0, cursor_);
  const std::vector<std::string> words = complete_(head);
  if (words.empty()) return;
  const std::size_t blank = head.find_last_of(" \t");
  const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
  const std::string common = common_beginning(words) + (words.size() == 1 ? " " : "");
  text_.replace(begin, cursor_ - begin, common);
  cursor_ = begin + common.size();
  if (words.size() > 1)
    for (const std::string& word : words) candidates_ += word + "  ";
}

std::optional<std::string> Prompt::key(const Key& key) {
  using enum Key::Kind;
  candidates_.clear();
  switch (key.kind) {
  case Character: insert(key.character); break;
  case Backspace:
    if (text_.empty()) open_ = false;
    erase(before(cursor_), cursor_);
    break;
  case Delete: erase(cursor_, after(cursor_)); break;
  case Left: cursor_ = before(cursor_); break;
  case Right: cursor_ = after(cursor_); break;
  case Home: cursor_ = 0; break;
  case End: cursor_ = text_.size(); break;
  case Up:
  case Down: recall(key.kind == Up); break;
  case Tab: complete(); break;
  case Escape: open_ = false; break;
  case Enter:
    open_ = false;
    if (!text_.empty() && (history_.empty() || history_.back() != text_)) history_.push_back(text_);
    return text_;
  default: break;
  }
  return {};
}

} // namespace sourir
