// Odd operands for generated programs: literals at the edges, operands of a wrong type.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/syntax/ast.h"

namespace sourir {

// Some operands become literals at the edges of their types or other variables in scope, some
// expressions get an operation that changes little (`x + 0`). Functions with several versions stay
// as they are: their versions must stay equivalent. The program must be well-formed and without
// exits elsewhere; it stays well-formed, but may get stuck or run for ever.
void put_odd_operands(Program& program, ChoiceSequence& choices, Names& names);

} // namespace sourir
