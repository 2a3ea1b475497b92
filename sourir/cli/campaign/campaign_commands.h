// `sourir campaign` and what can stand after it.
#pragma once

#include "sourir/cli/command.h"

namespace sourir {

// The names of all but the first are two words: "campaign report".
std::vector<Command> campaign_commands();

} // namespace sourir
