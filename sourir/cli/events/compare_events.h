// `profile --compare A B`: programs compiled in two ways; `--keep FILE`, `--against FILE`: compared
// over time. Each measures by processes (event_runs.h).
#pragma once

#include "sourir/cli/command.h"
#include "sourir/cli/events/event_options.h"

#include <string>
#include <vector>

namespace sourir {

struct EventComparisonOptions {
  std::vector<std::string> ways; // of --compare: A and B, each passes or flags of the tiers
  std::string keep, against;     // files
  std::string plot;              // a file for the chart; empty: none
  std::uint64_t iterations = 5;
  std::string threshold = "0.1";
  // What the runs get: the flags of the tiers and of counting as they were given, the engine, a
  // file to read.
  std::vector<std::string> flags, counting;
  std::string engine, input;
  std::vector<Flag> tier_flags; // all that there are: what A and B may have

  bool wanted() const { return !(ways.empty() && keep.empty() && against.empty()); }
};

void add_event_comparison_flags(std::vector<Flag>& flags, EventComparisonOptions& options);

// Precondition: options.wanted(). Returns the exit status.
int compare_events(const EventComparisonOptions& options, const EventProfileOptions& events,
                   const std::vector<std::string>& programs);

} // namespace sourir
