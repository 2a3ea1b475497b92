// Positions of a version that correspond to positions of another version of the function: both are
// walked side by side from the start, as long as they consist of the same instructions. Anchors and
// assumes of the copy alone are skipped, as are those of the source without guards; an assume of
// both is passed if the copy has all guards of the source. The states at two corresponding
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

// The version that the active one is a copy of: the first after it that the same calls enter, or
// else the first that all calls enter. Null: there is none.
const Version* next_version(const Function& function, const Version& active);

} // namespace sourir
