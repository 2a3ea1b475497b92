// The part of a program that the optimizer gets for one function: the cost of a version must not
// grow with the rest of the program.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/feedback.h"

namespace sourir::native {

// The function, those in its feedback, what these mention, and so on; in the program's
// order.
Program part_for(const Program& program, FunName function, const Feedback& feedback);

// With the functions of the part in place of those of the same names, and its new ones after.
Program with_part(const Program& program, const Program& part);

} // namespace sourir::native
