// Deferred materialization: values that only exits need are computed by the `with` blocks of these
// exits. These are total expressions, and arrays that have not escaped, with the stores that fill
// them (deferred instructions). Arrays in such arrays follow when the pass runs again.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> deferred_materialization(const PassInput& input);

} // namespace sourir
