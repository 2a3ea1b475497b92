// The engines that a campaign runs programs with (bisim/engine_row.h), by their names.
#pragma once

#include "sourir/bisim/reference_run.h"
#include "sourir/syntax/result.h"

#include <variant>

namespace sourir {

// "baseline,native"; what is wrong with the text, or with asking for that in this build.
Result<std::vector<EngineRow>> engine_rows(const std::string& names);

} // namespace sourir
