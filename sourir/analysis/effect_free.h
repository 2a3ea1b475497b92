// Instructions over which an assume may move, and instructions that may be executed again when an
// exit after them leads to a place before them. Assumes and anchors are neither.
#pragma once

#include "sourir/analysis/facts.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

// Side-effect-free and total: the instruction cannot fail, has no effect and does not touch the
// heap. `facts` hold before it.
bool effect_free_and_total(const Instruction& instr, const Facts& facts);
// Re-executable, which is weaker: its effect is not visible, and executing it again from an earlier
// place does the same. It may fail: then control does not pass it, here or from that place.
bool re_executable(const Instruction& instr);

// The variables of this version that an exit reads; those that its own block makes are not among
// them.
std::vector<Var> variables_of(const Metadata& exit);
// The variable that an instruction gives another value, makes or ends; null: none.
const Var* changed_variable(const Instruction& instr);

} // namespace sourir
