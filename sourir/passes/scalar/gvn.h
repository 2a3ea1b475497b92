// Global value numbering: an expression whose value a variable in scope holds already, on every
// path, becomes that variable; an assignment of the value that the variable has is removed. Exits
// keep their expressions, so that no variable has to live longer for them; guards, asserts and
// branches keep theirs, from which other passes derive facts about the variables.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> gvn(const PassInput& input);

} // namespace sourir
