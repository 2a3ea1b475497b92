// Conditional constant propagation (Kildall; dissertation 2.5) in the presence of assumes:
// operands, whole expressions and varmap entries are folded, tests that facts decide become
// literals, and guards that are known to hold go. Never deletes an error: an expression that may
// fail is folded only if it is known not to.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> constprop(const PassInput& input);

} // namespace sourir
