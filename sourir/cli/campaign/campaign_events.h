// The check of counts of events (oracle `events-counted`): those of EventPhase::Version that native
// code and the interpreter count are those of the reference's steps, at each place of the program;
// and two strategies, EventStrategy::Count and one of the others, count the same events of all
// phases.
#pragma once

#include "native/tiering/native_settings.h"
#include "sourir/bisim/reference_run.h"

namespace sourir {

// Runs the program with two strategies. `input.draw` chooses the engine, the second strategy, where
// paths are cut, and whether the fuel ends the run at a call or back edge that the reference
// reaches, too.
// `optimizes`: at level 2, otherwise at level 0. Inconclusive: the runs end at different
// instructions.
EngineAnswer check_event_counts(const native::CompilerFactory& compiler, const EngineInput& input,
                                bool optimizes);

} // namespace sourir
