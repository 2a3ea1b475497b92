// Text in columns of a terminal. Widths are columns; lines have no line feed at their end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// The text with control characters and bytes that are not UTF-8 as escapes (\x1b), so that no text
// can steer a terminal. Line feeds stay; a tab becomes spaces up to the next multiple of eight.
std::string visible(std::string_view text);

std::vector<std::string> lines_of(std::string_view text);

// Columns that one line of visible text takes; wide characters take two. Depends on LC_CTYPE.
std::size_t columns(std::string_view line);

// Columns [from, from + width) of a line of visible text, never more. Where text is omitted on a
// side, the outermost column there shows `<` or `>`; half a wide character is a blank.
std::string cut(std::string_view line, std::size_t from, std::size_t width);

// A line of visible text in parts that are at most `width` columns wide, broken at blanks where
// that is possible; all but the first are indented a little more.
std::vector<std::string> wrap(std::string_view line, std::size_t width);

} // namespace sourir
