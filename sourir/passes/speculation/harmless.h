// Instructions that an assume may move over, or that may be executed again when control leaves
// behind them for a place before them: they cannot fail, have no effect and leave the heap alone.
// Assumes and anchors are not among them.
#pragma once

#include "sourir/analysis/facts.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

// `facts` hold before it.
bool harmless(const Instruction& instr, const Facts& facts);
// Weaker: what it did does not show, and who goes back does the same again. It may fail: then
// control does not come behind it, neither here nor from where one can go back to.
bool can_be_repeated(const Instruction& instr);

// The variables of this version that an exit reads; those that its own block makes are not among
// them.
std::vector<Var> variables_of(const Metadata& exit);
// The variable that an instruction gives another value, makes or ends; null: none.
const Var* changed_variable(const Instruction& instr);

} // namespace sourir
