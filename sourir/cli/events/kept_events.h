// Counts in files: the report of one run (`profile --events --json`,
// docs/schemas/events.schema.json) as far as it is read, and the runs that `profile --keep` writes
// and `--against` reads (docs/schemas/event_counts.schema.json). Errors: as Result. Threads: any.
#pragma once

#include "sourir/cli/events/event_runs.h"
#include "sourir/syntax/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct ReadReport {
  std::string outcome; // "stop", "stuck", ...
  profiler::EventCounts counts;
};
Result<ReadReport> read_event_report(std::string_view text, const std::string& name);

// Programs that were compiled in one way.
struct KeptEvents {
  profiler::EventSet events; // that were counted
  std::string strategy, engine;
  std::vector<std::string> flags; // of the tiers
  std::vector<MeasuredProgram> programs;
  // Read: what another version of sourir counted, and this one does not.
  std::vector<std::string> unknown_events;
};
nlohmann::ordered_json kept_events_json(const KeptEvents& kept);
Result<KeptEvents> read_kept_events(std::string_view text, const std::string& name);

// {"guard": {"native": 12, "interpreted": 3}}: those that happened, of the set.
nlohmann::ordered_json event_counts_json(const profiler::EventCounts& counts,
                                         const profiler::EventSet& events);
// Names with commas between: what EventSet::parse() reads.
std::string names_of(const profiler::EventSet& events);

} // namespace sourir
