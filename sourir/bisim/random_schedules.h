// The runs that a schedule text stands for (sourir/semantics/schedule.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

inline constexpr std::uint64_t kAllSingleExits = 64, kAllPairs = 12;

// `each` is every exit alone, or 64 of them; `pairs` is every two of at most 12, or 64 pairs; any
// other text is itself. `opportunities`: exits that could be forced in the run that forces none.
std::vector<std::string> runs_of(const std::string& deopt, std::uint64_t opportunities,
                                 std::uint64_t& random);
// Each exit alone, or `most` of them.
std::vector<std::string> single_exits(std::uint64_t opportunities, std::uint64_t most,
                                      std::uint64_t& random);

// map:at:LIST with `most` of the steps; empty: there are none.
std::optional<std::string> mapped_exits(std::uint64_t steps, std::uint64_t most,
                                        std::uint64_t& random);

} // namespace sourir
