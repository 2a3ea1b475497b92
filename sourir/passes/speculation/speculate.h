// Lemma 2: predicates are added to assumes, which are allowed to leave whenever they like. Each
// goes to the nearest assume or anchor that control has passed for certain and since when nothing
// that the predicate reads has changed; an anchor becomes an assume.
#pragma once

#include "sourir/passes/speculation/speculations.h"

namespace sourir {

inline constexpr const auto& kSpeculateOptions = kSpeculationOptions;

std::optional<PassResult> speculate(const PassInput& input);

} // namespace sourir
