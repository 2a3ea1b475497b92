// Guards that fail in native code: it bails out at the start of the replay region. Evaluated from
// there, the guard fails, and its exit is taken; so a bailout of this kind is an exit of the
// version like any other. Native code tests some guards early, where the instruction before binds
// the variable, and fails some that hold, because of the storage of an array; the latter are
// bailouts. Threads: of the program.
#pragma once

#include "native/deopt/materialize.h"

#include <optional>

namespace sourir::native {

// Executes the instructions from `pc` up to the first guard that fails: only such as bind variables
// without an effect. Then `slots` are those at its assume, which is returned. Empty: another
// instruction, or one that gets stuck, comes first, or with `asks` an exit that the schedule may
// force; `slots` are unchanged.
std::optional<Pc> failing_guard(const ResolvedVersion& version, Pc pc, Value* slots, bool asks);

} // namespace sourir::native
