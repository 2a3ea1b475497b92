// The part of `simplify` that puts the blocks of a version in order.
#pragma once

#include "sourir/passes/core/rewrite.h"

namespace sourir {

// With the instructions as the task's edit has them: leaves out what is not reached, puts a block
// that has a single predecessor, which goes to it, behind that one, and drops labels that nothing
// uses, but for names of assumes and anchors.
void lay_out(VersionTask& task);

} // namespace sourir
