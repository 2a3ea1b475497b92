// The engines that a campaign runs programs with (bisim/reference_run.h), by name.
#pragma once

#include "native/engine/engine.h"
#include "sourir/bisim/reference_run.h"
#include "sourir/syntax/result.h"

#include <span>
#include <string_view>

namespace sourir {

std::span<const std::string_view> engine_names();

// `names`: "baseline,native". The error: an unknown name, or an engine that this build lacks.
Result<std::vector<EngineRow>> engine_rows(const std::string& names);

// The event that ends the run.
Event end_event(const native::EngineRun& run, const Names& names);

} // namespace sourir
