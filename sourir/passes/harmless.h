// Instructions that may be thrown away and executed again when control leaves behind them for a
// place before them: they cannot fail, have no effect and leave the heap alone. Assumes and anchors
// are not among them.
#pragma once

#include "sourir/analysis/facts.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

// `facts` hold before it.
bool harmless(const Instruction& instr, const Facts& facts);
// By position, with what is known there.
std::vector<std::uint8_t> harmless_positions(VersionAnalyses& facts);

// The variables of this version that an exit reads; those that its own block makes are not among
// them.
std::vector<Var> variables_of(const Metadata& exit);
// The variable that an instruction gives another value, makes or ends; null: none.
const Var* changed_variable(const Instruction& instr);

} // namespace sourir
