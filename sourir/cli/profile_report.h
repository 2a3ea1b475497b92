// What the sampling profiler found out, for people.
#pragma once

#include "native/engine/sampling.h"

#include <string>

namespace sourir {

// The trigger, where samples came, and the table of slots of each piece of code that has some:
// slot, place, sampled kinds with their count, feedback that was used (thesis 4.2.2).
std::string profile_text(const native::SamplingReport& report);
// The same as JSON: docs/schemas/profile.schema.json.
std::string profile_json(const native::SamplingReport& report);
// For --stats: two lines.
std::string profile_summary(const native::SamplingReport& report);

} // namespace sourir
