// Whether a state map fits its two programs: asked of maps that come from outside.
#pragma once

#include "sourir/syntax/state_map.h"

#include <string>

namespace sourir {

// The first thing that is wrong, or nothing: versions, positions and places that are not there;
// frames that do not name exactly what is in scope at their place, or use what is not in scope at
// the position. (Whether the map says the truth is for a checker to find out.)
std::string check_state_map(const StateMap& map, const Program& input, const Program& output,
                            const Names& names);

} // namespace sourir
