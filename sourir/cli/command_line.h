// The words of a command line, to the subcommand that they name. CLI11 parses the flags and lays
// out the help; its header is included in this one source (it takes 7 s to compile).
#pragma once

#include <string>
#include <vector>

namespace sourir {

// Without the program's own name. The exit status; what is wrong with the words has been said.
int run_command_line(std::vector<std::string> words);

} // namespace sourir
