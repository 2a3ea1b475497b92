// The forms of feedback: `--assume F.V.L: PREDICATE`, and the JSON form of
// docs/schemas/feedback.schema.json.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

// Both add to `into`, and return what is wrong, in one line; "": nothing.
std::string read_feedback(std::string_view json, Names& names, Feedback& into);
std::string read_assumption(std::string_view text, Names& names, Feedback& into); // F.V.L: x != nil

// One line for each place, function, branch at a place or variable in scope there that the feedback
// mentions and the program does not have.
std::vector<std::string> feedback_problems(const Feedback& feedback, const Program& program,
                                           const Names& names);

} // namespace sourir
