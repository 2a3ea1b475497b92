// Which positions of a version stand at the same place as positions of another version of the
// function: the two are walked side by side from the start, for as long as they consist of the
// same instructions. Where exits of the one differ from those of the other only what both have
// tested is passed. The states at two such places are equal, variable by variable.
#pragma once

#include "sourir/analysis/cfg.h"

#include <optional>
#include <vector>

namespace sourir {

// By position of `copy` (its end included), only for what its start reaches and nothing else:
// `copy` must not be the target of an exit.
std::vector<std::optional<Position>> corresponding_positions(const Version& copy,
                                                             const Version& source);

// The version that the active one is chained to, if it is a copy: the first behind it for the
// same calls, or else for all. Null: there is none.
const Version* version_behind(const Function& function, const Version& active);

} // namespace sourir
