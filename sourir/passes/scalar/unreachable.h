// Branches on literals become gotos (Lemma 4); positions that nothing reaches are removed (Lemma
// 5).
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> unreachable(const PassInput& input);

} // namespace sourir
