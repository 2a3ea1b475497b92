// The table of passes: the only source of the command line, its help, the pipeline syntax, the
// golden tests and the campaigns.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

// In alphabetical order.
std::span<const PassRow> all_passes();
// By its name or its old one; null: there is none.
const PassRow* find_pass(std::string_view name);

} // namespace sourir
