// Simpler control flow and tests: jumps to gotos are threaded, straight lines become one block,
// unused labels are removed; branches on negations, guards tested twice and double negations become
// simpler. The normal form is kept.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> simplify(const PassInput& input);

} // namespace sourir
