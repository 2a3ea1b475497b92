// Pieces of code that invite mistakes: tests that are repeated, stores through aliases, guards in
// loops that change what they test, operations that may fail where nobody looks at their values.
// Random statements hardly ever come together like that.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <vector>

namespace sourir {

// Puts some of them into a program that is well-formed and has no exits (what the versions of a
// function do would not be the same any more), and what they read into `inputs`. It stays
// well-formed and normal, but may get stuck.
enum class IdiomsFor : std::uint8_t { Passes, Engines };
void put_idioms(Program& program, std::vector<Value>& inputs, ChoiceSequence& choices, Names& names,
                IdiomsFor whom = IdiomsFor::Passes);

} // namespace sourir
