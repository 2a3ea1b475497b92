// Counterexamples as JSON (docs/schemas/bisim.schema.json), and parts of the commands that
// reproduce them.
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/semantics/text/state_text.h"

namespace sourir {

// `again`: the command that reproduces the difference. Precondition: there is a counterexample.
Json difference_json(const LockstepVerdict& verdict, const std::string& again);

// A word of a command line, quoted where a shell needs it.
std::string shell_word(const std::string& word);
// "printf '%s\n' 1 2 | " in front of a command that reads them; empty for none.
std::string piped(const std::vector<std::string>& reads);

} // namespace sourir
