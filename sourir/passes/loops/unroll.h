// Copies of loops: peeled, the copies run before the loop; unrolled, each round of the loop runs
// the body several times. What the copies know apart (the first round, say) becomes known to the
// passes behind; with speculated branches and `unreachable` a trace is left (Figure 2.25).
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kUnrollOptions[] = {
    {"peel", "N", "N rounds run before the loop (1)"},
    {"times", "N", "instead: each round of the loop is N rounds"},
    {"loop", "LABEL", "the loop whose first position bears the label (all innermost ones)"},
    {"max-size", "N", "loops of at most N instructions, unless named (100)"},
};

std::optional<PassResult> unroll(const PassInput& input);

} // namespace sourir
