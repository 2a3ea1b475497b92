// Copy propagation: a use of x becomes a use of the variable that x was copied from, as long as
// neither has changed since.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> copyprop(const PassInput& input);

} // namespace sourir
