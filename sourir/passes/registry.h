// The table of passes. It alone drives the command line, its help, the pipeline syntax, the golden
// tests and the campaigns.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

// In alphabetical order.
std::span<const PassRow> all_passes();
const PassRow* find_pass(std::string_view name); // null: there is none

} // namespace sourir
