// Feedback as people and profilers give it: `--assume` and the JSON form of
// docs/schemas/feedback.schema.json.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

// Add to `into`; what is wrong, all in one line, or nothing.
std::string read_feedback(std::string_view json, Names& names, Feedback& into);
std::string read_assumption(std::string_view text, Names& names, Feedback& into); // F.V.L: x != nil

// What the program does not have: places, branches at them, variables in scope there.
std::vector<std::string> feedback_problems(const Feedback& feedback, const Program& program,
                                           const Names& names);

} // namespace sourir
