// Declarations next to the first value. A variable whose first value is dead is declared where it
// gets the next one, in the same block; drops directly before the function ends are removed.
// Inlining makes such declarations and drops.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> late_declarations(const PassInput& input);

} // namespace sourir
