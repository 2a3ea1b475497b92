// `sourir bench` as a row of the commands.
#pragma once

#include "sourir/cli/command.h"

namespace sourir {

Command bench_command();

} // namespace sourir
