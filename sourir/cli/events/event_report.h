// The report of `profile --events`: text, JSON or CSV.
#pragma once

#include "sourir/cli/events/event_options.h"
#include "sourir/semantics/text/state_text.h"

#include <string>

namespace sourir {

// `--events=help`: all event types, and those of the source that cannot occur here.
std::string event_list();

std::string event_report(const EventProfileOptions& options, const std::string& program);
Json event_report_json(const EventProfileOptions& options, const std::string& program);

} // namespace sourir
