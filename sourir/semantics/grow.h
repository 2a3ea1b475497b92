// Between two steps the program P may be replaced by one with an added active version, or an added
// continuation into which the running frame moves (language.md section 5). Added versions are
// streams that adopt() made: their exits lead into the program.
#pragma once

#include "sourir/semantics/step.h"

#include <vector>

namespace sourir {

// Right behind a step by Call, into the active version of a function: as if P had been replaced
// before by a program whose active version is this one. Both have the same parameters.
void enter_instead(Config& c, const InstrStream& version);

// The current frame goes on at the start of `code`, whose first slots get the values of these slots
// of the frame.
void move_into(Config& c, const InstrStream& code, const std::vector<Slot>& with);

// The clock of a run: calls, ends of rounds and exits taken. All engines count the same, so it says
// where in a run something happened. Whether a step that was made at `pc` of `code` moves it.
bool ticks(const InstrStream& code, Pc pc, const StepResult& r);
// Whether the step took an exit.
bool took_exit(const StepResult& r);

} // namespace sourir
