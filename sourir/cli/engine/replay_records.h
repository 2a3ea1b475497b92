// What the tiers of native/ do, as the plain records of sourir/replay.
#pragma once

#include "native/engine/engine.h"
#include "sourir/replay/schedule_read.h"

namespace sourir {

// Valid as long as the step.
StepRecord record_of(const native::TierStep& step);
// An OutlineLoop: what tier-up at a loop header outlines.
std::optional<OutlinedProgram> outline_as_tiers(const Program& program, const ResolvedVersion& from,
                                                Pc head, Names& names);

} // namespace sourir
