// Branches on literals become gotos (Lemma 4); positions that nothing reaches are removed (Lemma
// 5), and so is the code after an assume with the guard `false`, which always deoptimizes.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> unreachable(const PassInput& input);

} // namespace sourir
