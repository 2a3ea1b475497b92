// The difference of two texts, line by line, as `diff -u` shows it.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// Empty for equal texts. At most `most` lines, then the number of those omitted. Texts that differ
// in very many lines are shown as one block removed and one added.
std::string line_diff(std::string_view before, std::string_view after, std::size_t most = 60);

} // namespace sourir
