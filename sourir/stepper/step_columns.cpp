#include "sourir/stepper/step_columns.h"

#include <algorithm>
#include <cwchar>
#include <fmt/format.h>

namespace sourir {

namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character at the start of a text that is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  char32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= kLeast[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return {code, size, valid};
}

// Characters that move the cursor or change the direction of the text after them, and invisible
// ones, for which terminals disagree about the width of the text beside them.
bool is_control(char32_t c) {
  static constexpr struct {
    char32_t first, last;
  } kRanges[] = {{0, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},      {0x200B, 0x200F},
                 {0x2028, 0x202E}, {0x2060, 0x206F},   {0xFE00, 0xFE0F},  {0xFEFF, 0xFEFF},
                 {0xFFF9, 0xFFFB}, {0x1F3FB, 0x1F3FF}, {0xE0000, 0xE0FFF}};
  return std::ranges::any_of(kRanges,
                             [&](auto range) { return c >= range.first && c <= range.last; });
}

std::size_t width_of(char32_t c) {
  const int width = wcwidth(static_cast<wchar_t>(c));
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

} // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t column = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.code == '\t') {
      const std::size_t blanks = 8 - column % 8;
      out.append(blanks, ' ');
      column += blanks;
    } else if (c.code == '\n') {
      out += '\n';
      column = 0;
    } else if (c.valid && !is_control(c.code)) {
      out += text.substr(0, c.bytes);
      column += width_of(c.code);
    } else {
      for (std::size_t i = 0; i < (c.valid ? c.bytes : 1); ++i, column += 4)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    }
    text.remove_prefix(c.valid ? c.bytes : 1);
  }
  return out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t columns(std::string_view line) {
  std::size_t n = 0;
  while (!line.empty()) {
    const Character c = first_character(line);
    n += width_of(c.code);
    line.remove_prefix(c.bytes);
  }
  return n;
}

std::string cut(std::string_view line, std::size_t from, std::size_t width) {
  const std::size_t all = columns(line);
  std::size_t begin = from, end = std::min(from + width, all);
  if (width == 0 || begin >= all) return begin > 0 && width > 0 && all > 0 ? "<" : "";
  const bool more_left = begin > 0, more_right = end < all;
  begin += more_left;
  end = std::max(begin, end - more_right);
  std::string out(more_left, '<');
  std::size_t column = 0;
  while (!line.empty() && column < end) {
    const Character c = first_character(line);
    const std::size_t next = column + width_of(c.code);
    if (column >= begin && next <= end)
      out += line.substr(0, c.bytes);
    else if (next > begin && column < end) // half of it
      out.append(std::min(next, end) - std::max(column, begin), ' ');
    column = next;
    line.remove_prefix(c.bytes);
  }
  return out + (more_right && width > static_cast<std::size_t>(more_left) ? ">" : "");
}

namespace {

// The number of bytes of the line that fit into `width` columns; at least one character.
std::size_t fitting(std::string_view line, std::size_t width) {
  std::size_t bytes = 0, column = 0;
  while (bytes < line.size()) {
    const Character c = first_character(line.substr(bytes));
    column += width_of(c.code);
    if (column > width && bytes > 0) break;
    bytes += c.bytes;
  }
  return bytes;
}

} // namespace

std::vector<std::string> wrap(std::string_view line, std::size_t width) {
  std::vector<std::string> parts;
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  std::string indent;
  while (columns(line) + indent.size() > width) {
    std::size_t end = fitting(line, width - indent.size());
    const std::size_t blank = line.substr(0, end).find_last_of(' ');
    const std::size_t start = parts.empty() ? blanks : 0;
    if (blank != std::string_view::npos && blank > start && end < line.size()) end = blank;
    parts.push_back(indent + std::string(line.substr(0, end)));
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    indent.assign(blanks + 4 < width / 2 ? blanks + 4 : 0, ' ');
  }
  if (!line.empty() || parts.empty()) parts.push_back(indent + std::string(line));
  return parts;
}

} // namespace sourir
