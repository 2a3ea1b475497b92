// Branches on literals become gotos (Lemma 4); positions that nothing reaches are removed (Lemma
// 5), with those behind an assume that has the guard `false`, which is never passed.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> unreachable(const PassInput& input);

} // namespace sourir
