// `sourir bench`: the programs of bench/ on all engines and in other languages, side by side.
#pragma once

#include "sourir/cli/command.h"

namespace sourir {

Command bench_command();

} // namespace sourir
