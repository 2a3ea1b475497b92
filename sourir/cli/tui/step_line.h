// The stepper line by line: at a terminal, through a pipe, from a script.
#pragma once

#include "sourir/stepper/step_session.h"

namespace sourir {

// Executes commands from standard input until its end or `quit`; with a prompt and line editing on
// a terminal. Returns the exit status.
int run_lines(StepSession& session, bool json);

struct ScriptOptions {
  std::string name; // of the script, for messages
  std::string text; // lines of commands (commands_in())
  bool json = false;
  bool keep_going = false; // continue after a command that fails
};
// Shows each command before its answer, but in JSON. Returns the exit status.
int run_script(StepSession& session, const ScriptOptions& options);

} // namespace sourir
