// The part of `simplify` that leaves the control flow alone.
#pragma once

#include "sourir/passes/core/rewrite.h"

namespace sourir {

// In the task's edit: double negations, branches on a negation, guards that are tested twice or
// literally true.
void simplify_expressions(VersionTask& task);

} // namespace sourir
