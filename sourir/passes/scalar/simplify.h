// Jumps to jumps go straight on, straight lines become one, unused labels are removed; branches on
// negations, guards tested twice and double negations become simpler. Keeps the normal form.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> simplify(const PassInput& input);

} // namespace sourir
