// The flags of `profile --events`, and what they ask of a run.
#pragma once

#include "profiler/event_profile.h"
#include "sourir/cli/command.h"

#include <memory>
#include <string>

namespace sourir {

struct EventProfileOptions {
  std::string events; // empty: nothing is counted
  std::string strategy = "count", markers = "exact", by;
  std::uint64_t paths = 64;
  bool annotate = false, json = false, csv = false;
  std::string output = "-"; // "-": standard error
  bool reference = false;   // the reference executes the program: events of its steps
  // Made by prepare_events(); null: nothing is counted.
  std::shared_ptr<profiler::EventRecording> recording;
};

void add_event_flags(std::vector<Flag>& flags, EventProfileOptions& options);
// The usage error about a name that is none.
std::string no_such_event(std::string_view name);
// Makes the recording. Returns the usage error, or nothing.
std::string prepare_events(EventProfileOptions& options);
profiler::EventGrouping grouping_of(const EventProfileOptions& options);

} // namespace sourir
