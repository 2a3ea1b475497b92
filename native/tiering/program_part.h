// The part of a program that the optimizer gets for one function: the cost of an optimized version
// must not grow with the rest of the program. Threads: any.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/feedback.h"

namespace sourir::native {

// The function, those that the feedback mentions, and all that these mention, transitively; in the
// order of the program.
Program part_for(const Program& program, FunName function, const Feedback& feedback);

// The program with the functions of the part in place of those of the same names; new ones last.
Program with_part(const Program& program, const Program& part);

} // namespace sourir::native
