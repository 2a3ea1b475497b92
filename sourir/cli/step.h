// `sourir step FILE`: a program taken forward and back over every rule, deoptimizations included;
// on a full screen, line by line, or from a script.
#pragma once

#include "sourir/semantics/limits.h"

#include <string>

namespace sourir {

struct StepOptions {
  std::string file;            // the program, text or JSON; "-": standard input
  std::string input;           // a file with what the program reads; empty: it reads nothing
  std::string leave = "never"; // the schedule of forced exits (schedule.h), one run only
  Limits limits;
  std::string script;      // a file of commands; "-": standard input; empty: none
  bool keep_going = false; // a command that fails does not end a script
  bool json = false;       // one JSON object a command, on a line of its own
  bool paper = false;      // source and instructions in the paper's notation
  bool no_screen = false;  // line by line also on a terminal
};

// The exit status: 0; 64 for a usage error or a script's command that failed; 65 for a program
// that is rejected; 66 for a file that cannot be read; 130 if a script was interrupted.
int run_step(const StepOptions& options);

} // namespace sourir
