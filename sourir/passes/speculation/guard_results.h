// Guards on what instructions have always bound, directly after them: x = a[i], then
// `assume [(x is int)]` with the state there as its exit, and `assume [false]` where code was never
// reached (Feedback::results and unreached); the rest of such a block is removed. The last pass of
// the tiers: the exits are made from the state map of the passes before it (PassInput::map), so no
// pass has to keep a state for them, and what was inlined gets guards as well. Without a map, from
// the version that the active one is a copy of.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> guard_results(const PassInput& input);

} // namespace sourir
