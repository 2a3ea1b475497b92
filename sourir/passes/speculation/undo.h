// Fine-grained deoptimization (dissertation 2.7, Figure 2.24): when one predicate of a version
// fails, its exit leads to a version that was made without it, and with it all predicates are lost
// that were added later. Here a continuation is made from the target that expects the others again,
// and the exit is redirected to it.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kUndoOptions[] = {
    {"at", "F.V.L", "the assume (the first of each active version with something to keep)"},
    {"guard", "N", "the predicate of it that fails, from 0 (all of them)"},
    {"name", "NAME", "how to call the continuation"},
};

std::optional<PassResult> undo(const PassInput& input);

} // namespace sourir
