// Checks of a pass's result without running it.
#pragma once

#include "sourir/syntax/state_map.h"

#include <string>
#include <vector>

namespace sourir {

// Empty: the output is well-formed, in normal form if the input is, and the state map is possible:
// its places exist in the input, each of its frames binds exactly the variables in scope there (or
// says that they are unknown), and its values use what is in scope in the output. One line each, at
// most kStructuralProblems. The input must be well-formed.
std::vector<std::string> structural_problems(const Program& input, const Program& output,
                                             const StateMap& map, Names& names);
inline constexpr std::size_t kStructuralProblems = 20;

// The mandatory positions (sourir/syntax/state_map.h) of the output at which the map gives no state
// that can be compared: it has none, or, unless they `may_be_unknown`, live variables are unknown.
// Each as "F.V+K: instruction: x unknown at F.W.L"; a version without any state is one line. Both
// programs must be well-formed, and the map possible.
std::vector<std::string> uncovered_positions(const Program& input, const Program& output,
                                             const StateMap& map, Names& names,
                                             bool may_be_unknown = false);

} // namespace sourir
