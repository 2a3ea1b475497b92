// Lemma 7: a predicate moves to the farthest dominating assume or anchor since which no variable
// that it reads has changed on any path, those around loops included. Its value at the old place is
// then known to be true.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> hoist_predicates(const PassInput& input);

} // namespace sourir
