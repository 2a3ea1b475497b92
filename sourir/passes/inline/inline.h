// Calls replaced by the code of their callee (Theorem 2). Every exit of the callee gets the
// caller's call-site frames appended: those of the exit directly after the call, or of the
// corresponding call of the version that the caller was copied from. A callee with exits is not
// inlined where there is neither. Callees come first, so that frames add up through any number of
// levels. Recursive calls are inlined only with `max-depth`.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kInlineOptions[] = {
    {"max-size", "N", "callees of at most N instructions, four varmap entries count as one (30)"},
    {"max-total", "N", "until the caller has N of them; callees of up to 8 always (400)"},
    {"max-sites", "N", "at most N calls in a caller (1000)"},
    {"max-depth", "N", "levels of recursive calls (0)"},
};

std::optional<PassResult> inline_calls(const PassInput& input);

} // namespace sourir
