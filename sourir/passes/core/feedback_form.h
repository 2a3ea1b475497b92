// The forms of feedback: `--assume F.V.L: PREDICATE`, and the JSON form of
// docs/schemas/feedback.schema.json.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

// Both add to `into`, and return what is wrong, in one line; "": nothing.
std::string read_feedback(std::string_view json, Names& names, FeedbackFile& into);
std::string read_assumption(std::string_view text, Names& names, Feedback& into); // F.V.L: x != nil

// One line for each place, function, branch at a place or variable in scope there that the feedback
// mentions and the program does not have.
std::vector<std::string> feedback_problems(const Feedback& feedback, const Program& program,
                                           const Names& names);
// The same for all parts of a file but samples, whose places are of versions made by the tiers.
std::vector<std::string> feedback_problems(const FeedbackFile& file, const Program& program,
                                           const Names& names);

// The JSON form, with a newline at the end. Parts of the feedback that have a problem with the
// program (a predicate about a variable that is out of scope right away) are left out.
std::string feedback_json(const FeedbackFile& file, const Program& program, const Names& names);
// For a run whose end is not known: an element of `functions`, and a file of such elements alone.
std::string function_feedback_json(const FeedbackFile::OfFunction& one, const Program& program,
                                   const Names& names);
std::string incomplete_feedback_json(const std::vector<std::string>& functions);

} // namespace sourir
