// Load and store elimination: a load of an element that is known becomes the variable or literal
// that the element holds; a store of what the element holds already is removed, and so is one that
// the next instruction overwrites.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> load_elimination(const PassInput& input);

} // namespace sourir
