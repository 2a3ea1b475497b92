// The part of a program that the optimizer gets for one function: the cost of an optimized version
// must not grow with the rest of the program. Threads: any.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/feedback.h"

#include <span>

namespace sourir::native {

// The function, those that the feedback or the guards mention, and all that these mention,
// transitively; in the order of the program.
Program part_for(const Program& program, FunName function, const Feedback& feedback,
                 std::span<const Expr> guards = {});

// The program with the functions of the part in place of those of the same names; new ones last.
Program with_part(const Program& program, const Program& part);

} // namespace sourir::native
