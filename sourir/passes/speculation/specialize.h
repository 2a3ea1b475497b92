// Versions for contexts (dissertation 3.2): for the calls of a context, a copy of the version that
// they entered before, listed directly before it, with the context as its `when`. So versions stay
// in an order that extends entailment, and other calls enter what they entered. The exits of a copy
// lead to the same place of the old version (Theorem 1).
//
// Contexts are those that `context` gives; without it the static contexts of calls in the program
// (static_context.h), the calls of the copies included, and what feedback says about arguments:
// there numbers and strings count by their types only.
#pragma once

#include "sourir/passes/core/context_option.h"

namespace sourir {

// The most versions that calls of a function may enter (dissertation 4.8).
inline constexpr std::size_t kMostVersions = 15;

inline constexpr OptionRow kSpecializeOptions[] = {kContextOption};

std::optional<PassResult> specialize(const PassInput& input);

} // namespace sourir
