// The stepper line by line: at a terminal, through a pipe, from a script.
#pragma once

#include "sourir/stepper/step_session.h"

namespace sourir {

// Commands from standard input until it ends or `quit`; with a prompt and line editing where it
// is a terminal. The exit status.
int run_lines(StepSession& session, bool json);

struct ScriptOptions {
  std::string name; // of the script, for messages
  std::string text; // commands_in() its lines
  bool json = false;
  bool keep_going = false; // after a command that fails
};
// Each command is shown before its answer, but in JSON. The exit status.
int run_script(StepSession& session, const ScriptOptions& options);

} // namespace sourir
