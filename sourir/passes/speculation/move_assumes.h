// Unrestricted deoptimization (Lemma 6): an assume moves forward over side-effect-free, total
// instructions, as long as no other path leads there; its target stays. Where one of them changes a
// variable that its guards or its metadata read, a fresh variable keeps the old value until after
// the assume. Assumes move to later guard_hints that they could not serve where they stand, if need
// be into arms of branches: an empty one into some arms, one with predicates into all of them.
// Others move as far as they need no such variable and enter no arm.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kMoveAssumesOptions[] = {
    {"far", "true|false", "also where no hint asks for it (true)"},
};

std::optional<PassResult> move_assumes(const PassInput& input);

} // namespace sourir
