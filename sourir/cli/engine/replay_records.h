// Steps of the tiers of native/ as the plain records of sourir/replay.
#pragma once

#include "native/engine/engine.h"
#include "sourir/replay/schedule_read.h"

namespace sourir {

// The record is valid as long as the step.
StepRecord record_of(const native::TierStep& step);
// An OutlineLoop: the loop that tier-up at that header outlines.
std::optional<OutlinedProgram> outline_as_tiers(const Program& running, const Program& program,
                                                const ResolvedVersion& from, Pc head, Names& names,
                                                const OutlinedCall* callee);

} // namespace sourir
