// Rebuilding the frames of less optimized code from the metadata of an exit: the function
// deoptimize(C, xi, xi*) of the dissertation's Figure 2.20, and the only code that does so.
#pragma once

#include "sourir/semantics/rule.h"

#include <variant>

namespace sourir {

// The `with` block runs in order, then the varmaps of all frames are evaluated in the resulting
// environment and heap. Stuck where an expression has no value; a limit where a block allocates
// too much. The configuration is not changed.
std::variant<NewFrames, StuckReason, Limit> materialize(const Config &c, const code::Exit &exit);
// The same for any frame: E by the slots of the exit's origin.
std::variant<NewFrames, StuckReason, Limit> materialize(const Heap &heap,
                                                        std::span<const Value> env,
                                                        const Limits &limits,
                                                        const code::Exit &exit);

// The length of a new array from the value of its expression: WrongKind, BadLength or the value.
Result array_length(Result length);

} // namespace sourir
