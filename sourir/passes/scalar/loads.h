// Loads and stores: an element that is known becomes the variable or literal that it holds, a
// store of what is there already goes, and one that the next instruction overwrites.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> loads(const PassInput& input);

} // namespace sourir
