// Conditional constant propagation (Kildall; dissertation 2.5) in the presence of assumes.
// Operands, whole expressions and varmap entries are folded; tests that the facts decide become
// literals; guards that are known to hold are removed, and those that other guards of the assume,
// or tests before it, imply. Errors stay: an expression that may fail is folded only if it is known
// not to fail.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> constprop(const PassInput& input);

} // namespace sourir
