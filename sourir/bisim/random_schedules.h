// The runs that a schedule text stands for (sourir/semantics/schedule.h).
#pragma once

#include "sourir/bisim/opportunities.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

inline constexpr std::uint64_t kAllSingleExits = 64, kAllPairs = 12, kSomePairs = 8;

// `each` is every exit alone, or 64 of them and the first of every place; `pairs` is every two of
// at most 12, or 64 pairs, every two of 8 that each() prefers among them; any other text is itself.
// The opportunities are those of the run that forces no exit.
std::vector<std::string> runs_of(const std::string& deopt, const Opportunities& opportunities,
                                 std::uint64_t& random);
// A run with a forced exit for each of these opportunities.
std::vector<std::string> single_exits(const std::vector<std::uint64_t>& numbers);

// map:at:LIST with `most` of the steps; empty: there are none.
std::optional<std::string> mapped_exits(std::uint64_t steps, std::uint64_t most,
                                        std::uint64_t& random);

} // namespace sourir
