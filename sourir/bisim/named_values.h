// Values that the text of a version names: with them a run may come to where no argument leads.
#pragma once

#include "sourir/semantics/resolved.h"

#include <vector>

namespace sourir {

// At most 32 integers and floats that are operands in the version, and their negations.
std::vector<Value> numbers_in(const ResolvedVersion& code);

// Literals that the instructions from there on name, the next four of them.
std::vector<Value> named_from(const ResolvedVersion& code, Pc pc);

} // namespace sourir
