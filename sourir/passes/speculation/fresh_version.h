// Theorem 1: a copy of the active version of each function, listed first. Each of its exits goes
// to the same place of the old version, which gets the labels for that, with the identity varmap.
// Nothing happens where the active version already stands before another one for the same calls
// and nothing new is offered: no exit goes to it, no feedback speaks of it, and the option `name`
// does not ask for a version that does not exist yet.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kFreshVersionOptions[] = {
    {"name", "NAME", "how to call the new version"},
    {"anchor", "", "begin it with an anchor; checkpoints:fresh knows it by that"},
};

std::optional<PassResult> fresh_version(const PassInput& input);

} // namespace sourir
