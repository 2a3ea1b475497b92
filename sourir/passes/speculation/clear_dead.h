// Exits bind nil to variables that are dead at their targets, so that the version need not keep the
// values: with a value that only an exit uses, `x % 2 == 0` stays a division. Compilers clear dead
// locals of their frame states in the same way. An error message of the target shows nil, then. A
// value whose evaluation may fail stays.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> clear_dead(const PassInput& input);

} // namespace sourir
