// What the runs of one check_lockstep() share, what is asked of a run, and what comes of it.
// Internal to check_lockstep().
#pragma once

#include "sourir/bisim/expected_states.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/mapped_frames.h"
#include "sourir/bisim/observable_events.h"

namespace sourir {

// What all runs share.
struct LockstepSetting {
  LockstepSetting(const Program& input_program, const Program& output_program, const StateMap& map,
                  const LockstepOptions& chosen, Names& all_names);

  Names& names;
  LockstepOptions options;
  LinkedProgram input, output;
  LiveSlots live;
  Fingerprints fingerprints{live};
  bool interrupted() const { return options.interrupt != nullptr && *options.interrupt; }

  MappedPlaces places;
  Limits limits;
  Schedule never;
};

struct TracedEvent {
  Event event;
  std::uint64_t steps = 0; // when it has happened
};
// The events of a run that forces no exit, to its end. Their number is bounded by the fuel.
std::vector<TracedEvent> trace_of(LockstepSetting& setting, const LinkedProgram& program,
                                  const std::vector<Value>& reads);

struct RunRequest {
  const std::vector<Value>& reads;
  const std::vector<TracedEvent>& expected;
  const Schedule& schedule;
  bool only_after_exit = false; // states before the first forced exit were compared already
  WantedState* wanted = nullptr;
  bool show_exits = false; // RunResult::exits_differ is wanted
};

struct RunResult {
  Agreement agreement = Agreement::Equivalent;
  std::string what; // differs, or limits
  Oracle oracle = Oracle::Events;
  std::string kind;
  bool checker_failed = false;
  bool input_at_fault = false;
  std::optional<std::uint64_t> unmet;      // the number of an expected state
  std::uint64_t output_step = 0;           // of the output, where it was seen
  std::optional<std::uint64_t> input_step; // of the input's traced run
  // Steps of both where they agreed last: after an event, or in a state that the map gives.
  std::uint64_t agreed_output = 0, agreed_input = 0, agreed_events = 0;
  std::optional<Counterexample::States> exits_differ;
  std::uint64_t output_steps = 0; // in all
  std::uint64_t steps = 0, events = 0, states = 0, opportunities = 0, forced = 0, exits = 0,
                moved_exits = 0, mapped_exits = 0, not_mapped = 0;
  bool skipped = false;
};

} // namespace sourir
