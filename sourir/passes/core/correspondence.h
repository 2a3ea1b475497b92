// Positions of a version that correspond to positions of another version of the function: both are
// walked side by side from the start, as long as they consist of the same instructions. Exits of
// only one of them are skipped where both have tested the same. The states at two corresponding
// positions are equal, variable by variable.
#pragma once

#include "sourir/analysis/cfg.h"

#include <optional>
#include <vector>

namespace sourir {

// By position of `copy` (its end included), only for positions that its start reaches.
// Precondition: no exit targets `copy`.
std::vector<std::optional<Position>> corresponding_positions(const Version& copy,
                                                             const Version& source);

// The version that the active one, as a copy, stands before: the first after it that is entered by
// the same calls, or else by all. Null: there is none.
const Version* next_version(const Function& function, const Version& active);

} // namespace sourir
