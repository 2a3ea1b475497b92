// Lemma 7: a predicate moves to the farthest dominating assume or anchor since which no variable
// that it reads has changed on any path, those around loops included. Its value at the old place is
// then known to be true. A predicate that cannot hold at the old place stays there, and so do those
// of unreached code; none goes to an exit whose predicates exclude it.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> hoist_predicates(const PassInput& input);

} // namespace sourir
