// Loop-invariant code motion: a total expression over variables that a loop does not change is
// computed once before it, into a fresh variable that is dropped at the exits of the loop. It must
// be total by the facts before the loop, not in it. Loads of elements stay; guards, exits, asserts
// and branches keep their expressions.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> licm(const PassInput& input);

} // namespace sourir
