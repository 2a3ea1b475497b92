// Anchors (or empty assumes) in a version that is still a copy, wherever the corresponding place of
// the next version is known: at the entry, after each call and side effect, before each call of a
// variable, at each merge and loop header. Instructions after effects and merges are re-executable:
// "one can deoptimize anywhere" (dissertation 2.5).
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kCheckpointsOptions[] = {
    {"as", "anchor|assume", "what to insert (anchor)"},
    {"at", "L+M", "also at these labels of the next version"},
    {"only", "", "at these labels and nowhere else"},
    {"everywhere", "", "before each instruction"},
    {"fresh", "", "only in versions that begin with an anchor"},
};

std::optional<PassResult> checkpoints(const PassInput& input);

} // namespace sourir
