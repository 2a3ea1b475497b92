// Whether exits rebuild the same states. After one forced exit a run continues in less optimized
// code. Where the run without it comes to another exit into that code, the frames that this exit
// would rebuild are a state that the first run must have passed through, between the same events.
// Where it did not come to that place as often, it runs another copy of the code, and nothing is
// compared. A finding is no proof: two different states may have the same future.
#pragma once

#include "sourir/bisim/lockstep.h"

namespace sourir {

// One run with a forced exit for each exit of the run without: `most` of them and the first of each
// place (Opportunities::choose_of_every_place()); or only the one with this number. `states` of the
// verdict: the states compared.
LockstepVerdict check_rematerialized_states(const Program& program, const std::vector<Value>& reads,
                                            const LockstepOptions& options, Names& names,
                                            std::uint64_t most,
                                            std::optional<std::uint64_t> only = {});

} // namespace sourir
