// "Did you mean": the known word that a mistyped one is closest to.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace sourir {

// The word of `known` with the fewest changed, missing, extra or swapped letters; the first of
// several. Empty if more than a third of the letters (and more than one) would have to change.
// Compares the first 10,000 known words of about this length.
std::optional<std::string_view> closest(std::string_view wrong,
                                        const std::vector<std::string_view>& known);

} // namespace sourir
