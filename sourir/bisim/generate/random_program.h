// Random programs: well-formed by construction, ending, and (but for a policy with errors) without
// run-time errors. All versions of a function behave the same, and every exit may be taken or not
// wherever its guards hold: no schedule of forced exits changes what a program does. The generator
// never makes something only to throw it away.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/generate/random_context.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <string>
#include <vector>

namespace sourir {

struct RandomCase {
  Program program;
  std::vector<Value> inputs; // at least as many as any run reads, unless something may go wrong
  std::string deopt;         // a schedule (semantics/schedule.h) to run it with
};

RandomCase random_case(ChoiceSequence& choices, const Policy& policy, Names& names);

} // namespace sourir
