// Loop-invariant code motion: a total expression over variables that a loop does not change is
// computed once before it, into a fresh variable that is dropped at the exits of the loop. It must
// be total by the facts before the loop, not in it. Guards, exits, asserts and branches keep their
// expressions.
// With `loads` also loads at a literal index that each iteration executes, if the loop stores into
// no such element and calls nothing. The array is guarded to be long enough, next to the nearest
// exit that dominates the loop, with the metadata of that exit. `running`: only out of a loop that
// the version begins with, as one for an OSR entry does, and only where the type of the value is
// tested next. A loop that has run for a while has executed the load, so its guard holds.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kLicmOptions[] = {
    {"loads", "none|running|all",
     "loads at literal indices: none (default), all, or those of a loop that runs already whose "
     "type is tested next"},
};

std::optional<PassResult> licm(const PassInput& input);

} // namespace sourir
