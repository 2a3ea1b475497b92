// Lemma 2: predicates are added to assumes, which may deoptimize at any time. Each predicate goes
// to the nearest dominating assume or anchor since which no variable that it reads has changed; an
// anchor becomes an assume.
#pragma once

#include "sourir/passes/speculation/speculations.h"

namespace sourir {

inline constexpr const auto& kSpeculateOptions = kSpeculationOptions;

std::optional<PassResult> speculate(const PassInput& input);

} // namespace sourir
