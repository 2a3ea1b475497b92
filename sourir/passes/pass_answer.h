// The answer of a pass that is a command (exec:CMD): {"program": PROGRAM, "state_map": STATE MAP};
// the map may be left out.
#pragma once

#include "sourir/passes/run_pipeline.h"

namespace sourir {

// The answer, or what is wrong with its form, all in one line. Neither the program nor the map
// has been checked then.
std::variant<CommandOutput, std::string> read_pass_answer(std::string_view json, Names& names);

} // namespace sourir
