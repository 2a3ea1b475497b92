// The statistics of a run that has `counts`: of another engine than the reference.
#pragma once

#include "sourir/cli/run_report.h"
#include "sourir/semantics/text/value_json.h"

namespace sourir {

std::string engine_statistics_text(const EndedRun& run);
Json engine_statistics_object(const EndedRun& run); // docs/schemas/outcome.schema.json

} // namespace sourir
