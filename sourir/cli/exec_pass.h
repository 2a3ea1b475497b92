// `--pass=exec:CMD`: a pass that is a command. It gets the program as JSON on its standard input
// and answers with JSON on its standard output (pass_answer.h).
#pragma once

#include "sourir/passes/run_pipeline.h"

namespace sourir {

// The answer, well-formed and with a map that fits it, or why it cannot be used.
std::variant<CommandOutput, std::string> run_exec_pass(const std::string& command,
                                                       const Program& program, Names& names,
                                                       std::uint64_t seconds);

// The answer as it is, or why there is none. Says nothing to the user.
std::variant<CommandOutput, std::string> ask_exec_pass(const std::string& command,
                                                       const Program& program, Names& names,
                                                       std::uint64_t seconds);

} // namespace sourir
