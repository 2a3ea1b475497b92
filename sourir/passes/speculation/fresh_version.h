// Theorem 1: a copy of the active version of each function, listed first. Each of its exits targets
// the same place of the old version, which gets the labels for that, with the identity varmap. A
// function whose active version already stands before another one for the same calls gets a copy
// only if there is something new: an exit targets that version, feedback mentions it, or the option
// `name` asks for a version that does not exist. With the option `context` the copy is for calls of
// this context only.
#pragma once

#include "sourir/passes/core/context_option.h"

namespace sourir {

inline constexpr OptionRow kFreshVersionOptions[] = {
    {"name", "NAME", "how to call the new version"},
    {"anchor", "", "begin it with an anchor; checkpoints:fresh knows it by that"},
    kContextOption,
};

std::optional<PassResult> fresh_version(const PassInput& input);

} // namespace sourir
