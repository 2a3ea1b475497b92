// All subcommands. A new one is a file with its Options and run function, and an entry here.
#pragma once

#include "sourir/cli/command.h"

#include <vector>

namespace sourir {

// In the order of the help. A name may be two words ("campaign report"); the first of them is a
// command, too.
const std::vector<Command>& all_commands();

} // namespace sourir
