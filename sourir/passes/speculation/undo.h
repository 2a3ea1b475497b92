// Fine-grained deoptimization (dissertation 2.7, Figure 2.24). When one predicate of a version
// fails, its exit leads to a version that was made without it, and without all predicates that were
// added later. This pass makes a continuation from the target that assumes the others again, and
// redirects the exit to it.
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
