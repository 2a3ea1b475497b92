// Loop-invariant motion: a total expression over variables that a loop does not change is computed
// once before it, into a fresh variable that is dropped where the loop is left. Total by what is
// known before the loop, not in it. What reads elements stays; guards, exits, asserts
// and branches keep their expressions.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> licm(const PassInput& input);

} // namespace sourir
