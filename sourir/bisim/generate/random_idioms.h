// Idioms: code in which passes or engines are likely to be wrong, such as repeated tests, stores
// through aliases, guards in loops that change what they test, operations that may fail and whose
// value is unused. Random statements rarely combine like that.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <vector>

namespace sourir {

// Puts some of them into functions of one version that no exit of another function enters (others
// would not stay equivalent), and what they read into `inputs`. A well-formed program stays
// well-formed and normal, but may get stuck. IdiomsFor::Watches: into main alone, if it has no
// exits, with functions whose versions have guards that may be watched (watchpoint_texts.h).
enum class IdiomsFor : std::uint8_t { Passes, Engines, Watches };
void put_idioms(Program& program, std::vector<Value>& inputs, ChoiceSequence& choices, Names& names,
                IdiomsFor whom = IdiomsFor::Passes);

} // namespace sourir
