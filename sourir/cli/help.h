// Help texts, made from the commands.
#pragma once

#include "sourir/cli/command.h"

#include <string>
#include <vector>

namespace sourir {

// `sourir` alone: what it is, what to try first, all commands.
std::string overview(const std::vector<Command>& commands);
std::string help(const Command& command);

} // namespace sourir
