#include "sourir/syntax/source.h"

#include <algorithm>
#include <cstring>

namespace sourir {

namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

} // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  if (text_.size() > kMaxSourceBytes) text_.resize(kMaxSourceBytes);
  starts_.push_back(0);
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  for (const char* at = begin; at != end;) {
    const auto* newline =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) break;
    at = newline + 1;
    starts_.push_back(static_cast<std::uint32_t>(at - begin));
  }
}

LineColumn Source::position(std::uint32_t offset) const {
  const auto at = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), at);
  const auto line = static_cast<std::uint32_t>(next - starts_.begin());
  const auto before = text_.begin() + starts_[line - 1];
  const auto column = std::count_if(before, text_.begin() + at, starts_code_point);
  return {line, static_cast<std::uint32_t>(column) + 1};
}

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1];
  std::size_t end = number < starts_.size() ? starts_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

} // namespace sourir
