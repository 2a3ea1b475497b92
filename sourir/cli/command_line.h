// From the words of a command line to the subcommand that they name. CLI11 parses the flags; only
// command_line.cpp includes its header (it takes 7 s to compile).
#pragma once

#include <string>
#include <vector>

namespace sourir {

// `words` without the name of the program. Returns the exit status; usage errors are reported on
// standard error.
int run_command_line(std::vector<std::string> words);

} // namespace sourir
