// All subcommands. A new one is a file with its Options and run function, and an entry here.
#pragma once

#include "sourir/cli/command.h"

#include <vector>

namespace sourir {

// In the order of the help.
const std::vector<Command>& all_commands();

} // namespace sourir
