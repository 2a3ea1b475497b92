// A run of the reference, with what is to be known of it: its events, the rules that it used and
// the exits that it was forced to take.
#pragma once

#include "sourir/bisim/observable_events.h"
#include "sourir/semantics/run.h"

#include <array>
#include <map>

namespace sourir {

struct ReferenceRun {
  std::vector<Event> events; // the last one ends the run
  std::array<std::uint64_t, kRuleCount> rules{};
  std::uint64_t steps = 0, opportunities = 0;
  std::uint64_t injected = 0;                    // exits that the schedule says
  std::uint64_t forced = 0;                      // exits taken though they need not be
  std::map<std::size_t, std::uint64_t> by_depth; // of these, by the number of frames they make

  bool at_limit() const { return events.back().kind == Event::Kind::Limit; }
};

ReferenceRun reference_run(const LinkedProgram& program, const std::vector<Value>& reads,
                           const Schedule& schedule, const Limits& limits, Names& names);

} // namespace sourir
