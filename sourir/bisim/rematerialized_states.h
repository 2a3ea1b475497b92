// Whether exits rebuild the same states: after one deviation a run goes on in less optimized code,
// and where the run that stays comes to another exit into that code, the frames that this one
// would rebuild are a state that the deviated run must have passed through, between the same
// events. Where it did not come to that place as often, nothing is said: then it is another copy
// of the code that it runs. What is found is worth a look, but no proof: two states that are not
// the same may have the same future.
#pragma once

#include "sourir/bisim/lockstep.h"

namespace sourir {

// Adds to `states` what was compared. The runs that leave once, one for each exit of the run that
// stays, at most `most`; or only the one with this number.
LockstepVerdict check_rematerialized_states(const Program& program, const std::vector<Value>& reads,
                                            const LockstepOptions& options, Names& names,
                                            std::uint64_t most,
                                            std::optional<std::uint64_t> only = {});

} // namespace sourir
