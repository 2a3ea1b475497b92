// Copies of loops. Peeled, the copies run before the loop; unrolled, an iteration of the loop runs
// the body several times. Facts that hold in some copies only (in the first iteration, say) are
// then known to later passes; with speculated branches and `unreachable` a trace remains
// (Figure 2.25).
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kUnrollOptions[] = {
    {"peel", "N", "N iterations run before the loop (1)"},
    {"times", "N", "instead: each iteration of the loop is N iterations"},
    {"loop", "LABEL", "the loop whose first position bears the label (all innermost ones)"},
    {"max-size", "N", "loops of at most N instructions, unless named (100)"},
};

std::optional<PassResult> unroll(const PassInput& input);

} // namespace sourir
