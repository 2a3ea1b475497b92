// The report of `profile --events`: text, JSON or CSV.
#pragma once

#include "sourir/cli/events/event_options.h"
#include "sourir/semantics/run.h"
#include "sourir/semantics/text/state_text.h"

#include <string>

namespace sourir {

// `--events help`: all event types, and those of the source that cannot occur here.
std::string event_list();

// `complete`: no counts of native code are lost, as they are where Ctrl-C finds it.
std::string event_report(const EventProfileOptions& options, const std::string& program,
                         bool complete);
// docs/schemas/events.schema.json
Json event_report_json(const EventProfileOptions& options, const std::string& program,
                       const Outcome& outcome, int exit_code, bool complete);

} // namespace sourir
