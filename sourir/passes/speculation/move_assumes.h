// Unrestricted deoptimization (Lemma 6): an assume moves forward over instructions that cannot
// fail and have no effect, as long as it is the only way to get there; its target stays. Where one
// of them changes what its guards or its metadata read, a fresh variable keeps the old value until
// behind the assume. An assume goes to the guard_hints behind it that it could not serve where it
// stands, into arms of branches if need be: an empty one into some arms, one with predicates into
// all of them. Others go as far as they need no such variable and enter no arm.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kMoveAssumesOptions[] = {
    {"far", "true|false", "also where no hint asks for it (true)"},
};

std::optional<PassResult> move_assumes(const PassInput& input);

} // namespace sourir
