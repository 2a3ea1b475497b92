// The first state in which two runs differ, for programs between which no map says which states
// correspond. States correspond here that stand before the same instruction, as it is printed, of
// the same function, in frames as deep: as many as are in the same order in both runs. They differ
// in a variable of the same name, which is live in both, and whose values are no arrays. So it is
// where to look, and no proof.
#pragma once

#include "sourir/semantics/config.h"

#include <cstdint>
#include <optional>

namespace sourir {

struct DifferentStates {
  std::uint64_t left = 0, right = 0; // steps of both runs before them
};

// `left` and `right` run from where both agree to so many steps; of long runs, the first states
// are compared, and if they agree the last ones. Empty: none that correspond differ.
std::optional<DifferentStates> first_difference(const Config& left, std::uint64_t left_end,
                                                const Config& right, std::uint64_t right_end);

} // namespace sourir
