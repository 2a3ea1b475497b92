// The lock-step check for calls with generated arguments.
#pragma once

#include "sourir/bisim/lockstep.h"

namespace sourir {

// check_lockstep() with calls of each function that the output has changed, with generated
// arguments: a pass must be right for every state in which a version can be entered (soundness.md
// "Open world"). What does not end within 10,000 steps, and where the input's own exits are wrong,
// counts as skipped. `calls`: of a function; `reads`: for a run of the input that shows what it is
// called with.
LockstepVerdict check_entries(const Program& input, const Program& output, const StateMap& map,
                              const std::vector<Value>& reads, const LockstepOptions& options,
                              Names& names, std::uint64_t calls = 24);

} // namespace sourir
