// Lemma 7: a predicate moves to the farthest assume or anchor that control has passed for certain
// and since when nothing that it reads has changed, on no path, those around loops included. Its
// value at the old place is then known to be true.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> hoist_predicates(const PassInput& input);

} // namespace sourir
