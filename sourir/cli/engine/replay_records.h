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

// Reads the log of --jit-schedule FILE, for a run with --deopt=DEOPT; an empty FILE: none. Returns
// 0, or the exit status after an error of the command is reported.
int load_tier_log(const char* command, const std::string& file, const std::string& deopt,
                  const LinkedProgram& program, Names& names, std::optional<JitSchedule>& into);

} // namespace sourir
