// Feedback for random programs.
#pragma once

#include "sourir/bisim/transform.h"
#include "sourir/passes/core/pass.h"

namespace sourir {

// What is said of some places of the program: what was always so when it ran, or (by the seed) just
// anything. It depends on the place and the seed only.
Feedback random_feedback(const TransformInput& in);

} // namespace sourir
