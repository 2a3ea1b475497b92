// What a block cannot make when some variables of its origin are unknown. Internal to compose.
#pragma once

#include "sourir/syntax/metadata.h"

#include <unordered_set>

namespace sourir {

// Adds to `unknown` the names made by the block that depend on a name in it: through a value,
// through an element of an array, or because a store with an unknown part went into an array (of
// the block) that they may be or hold. The lines whose subject is unknown have no use.
void spread_unknown(const std::vector<Deferred>& block, std::unordered_set<Var>& unknown);

} // namespace sourir
