// All subcommands. A subcommand is a source with its options and a function declared here.
#pragma once

#include "sourir/cli/command.h"

namespace sourir {

Command run_command();
Command check_command();
Command step_command();
Command fmt_command();
Command convert_command();
Command opt_command();
Command analyze_command();
Command bisim_command();
std::vector<Command> campaign_commands(); // all but the first have two words: "campaign report"
Command reduce_command();
Command jit_command();
Command profile_command();
Command bench_command();
std::vector<Command> course_commands(); // the same
Command explain_command();
Command completion_command();
Command manual_command();

// In the order of the help. A name may be two words; the first one is also a command by itself.
std::vector<Command> all_commands();

} // namespace sourir
