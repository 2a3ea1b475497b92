// Guards that native code fails early: it tests the type of a result in place, where a guard
// directly after the instruction requires it, and bails out at the start of the region if the type
// is another one. Evaluated from there, the guard fails, and its exit is taken; so a bailout of
// this kind is an exit of the version like any other. Threads: of the program.
#pragma once

#include "native/deopt/materialize.h"

#include <optional>

namespace sourir::native {

// Executes the instructions from `pc` up to the first guard that fails: only such as bind variables
// without an effect. Then `slots` are those at its assume, which is returned. Empty: another
// instruction, or one that gets stuck, comes first; `slots` are unchanged.
std::optional<Pc> failing_guard(const ResolvedVersion& version, Pc pc, Value* slots);

} // namespace sourir::native
