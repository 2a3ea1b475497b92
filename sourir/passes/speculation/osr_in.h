// OSR entries (dissertation 2.7 "jumping into optimized code", Figures 2.22 and 2.23): at a
// position of the active version, an anchor leads into a new continuation that starts there,
// specialized for what is assumed: the option `known`, and feedback about the place. The
// continuation tests that first; its exit targets the place after the anchor. Without `at`: at the
// first loop header.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kOsrInOptions[] = {
    {"at", "F.V.L", "the position (the first loop header of each active version)"},
    {"known", "PREDICATE", "what holds there, such as debug==false; several times"},
    {"name", "NAME", "how to call the continuation"},
};

std::optional<PassResult> osr_in(const PassInput& input);

} // namespace sourir
