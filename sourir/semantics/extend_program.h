// Extending the program that runs: between two steps P may get another active version, or a
// continuation that the current frame moves into. The versions that are
// added are relinked (relink_exits.h): their exits enter the program.
#pragma once

#include "sourir/semantics/step.h"

#include <vector>

namespace sourir {

// After a step by Call into the active version of a function: the call enters `version` instead, as
// if that had been the active one. Both have the same parameters.
void enter_instead(Config& c, const ResolvedVersion& version);

// The current frame continues at the start of `code`, whose first slots get the values of the slots
// `with` of the frame.
void move_into(Config& c, const ResolvedVersion& code, const std::vector<Slot>& with);

// The event counter of a run counts calls, back edges and exits taken. All engines count the same
// events, so its value says where in a run something happened. True if a step made at `pc` of
// `code` is such an event.
bool is_counted_event(const ResolvedVersion& code, Pc pc, const StepResult& r);
// Whether the step took an exit.
bool took_exit(const StepResult& r);

} // namespace sourir
