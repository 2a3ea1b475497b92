// Rebuilding the frames of less optimized code from the metadata of an exit (rebuild.h), for
// configurations of the reference.
#pragma once

#include "sourir/semantics/rebuild.h"
#include "sourir/semantics/rule.h"

#include <variant>

namespace sourir {

// Stuck where an expression has no value; a limit where a block allocates too much. The
// configuration is not changed.
std::variant<NewFrames, StuckReason, Limit> materialize(const Config& c,
                                                        const resolved::Exit& exit);
// The same for any frame: E by the slots of the exit's origin.
std::variant<NewFrames, StuckReason, Limit> materialize(const Heap& heap,
                                                        std::span<const Value> env,
                                                        const Limits& limits,
                                                        const resolved::Exit& exit);

} // namespace sourir
