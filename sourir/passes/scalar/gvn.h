// Global value numbering: an expression whose value a variable in scope holds already, on every
// path, becomes that variable; assigning a variable the value that it has goes. Exits keep their
// expressions: what they need shall not have to live. Guards, asserts and branches keep theirs:
// they say something about its variables.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> gvn(const PassInput& input);

} // namespace sourir
