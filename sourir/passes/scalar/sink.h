// Values that only exits need are computed by the `with` blocks of these exits: total expressions,
// and arrays that have not escaped with the stores that fill them (deferred instructions). Arrays
// in sunk arrays follow when the pass runs again.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> sink(const PassInput& input);

} // namespace sourir
