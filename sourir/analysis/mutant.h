// Seeded bugs: the mistakes of verification.md section 5, one of which can be switched on at run
// time, to see whether the checks find it. Only test builds contain any (SOURIR_MUTANTS); elsewhere
// `mutant(n)` is a constant and nothing of them is left. For .cpp files of sourir/analysis and
// sourir/passes only: headers are shared with code that is built without them.
#pragma once

#include "sourir/analysis/mutant_table.h"

namespace sourir {

#ifdef SOURIR_MUTANTS
bool mutant(int number);
#else
constexpr bool mutant(int) { return false; }
#endif

} // namespace sourir
