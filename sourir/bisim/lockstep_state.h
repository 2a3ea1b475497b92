// The setting that all runs of one check_lockstep() share, the request and the result of a run, and
// its state: both configurations, and the states that are expected of the input. Internal to
// check_lockstep().
#pragma once

#include "sourir/bisim/expected_states.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/mapped_frames.h"
#include "sourir/bisim/observable_events.h"
#include "sourir/bisim/opportunities.h"

#include <set>

namespace sourir {

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
  std::set<std::pair<const ResolvedVersion*, Pc>> exit_targets; // of the input's exits
};

struct TracedEvent {
  Event event;
  std::uint64_t steps = 0; // after it
};
// The events of a run that forces no exit, from there or from the start to its end. Their number is
// bounded by the fuel.
std::vector<TracedEvent> trace_of(Config c, const LockstepSetting& setting);
std::vector<TracedEvent> trace_of(LockstepSetting& setting, const LinkedProgram& program,
                                  const std::vector<Value>& reads);

// What runs have compared of one version of the output, by position.
struct ComparedPositions {
  const ResolvedVersion* code = nullptr;
  std::set<Pc> states;  // the input passes through the state that the map gives
  std::set<Pc> partial; // of them: where live variables are unknown, but for those
  std::set<Pc> exits;   // taken, and the state that they made was compared
};

// A part of a run: it ends after a number of steps, or where the output stands at a position again,
// and what was compared up to there is the result. Where it ends without an event, the input has
// `input_steps` to pass through the states that are expected so far.
struct Segment {
  const Config* from = nullptr;  // of the output
  const Config* input = nullptr; // where the input starts
  std::uint64_t steps = 0;       // of the output, at most
  std::uint64_t input_steps = 0;
  std::optional<Pc> until;               // of the code of `from`, in the same frame
  ComparedPositions* compared = nullptr; // what the segment adds; right if its result is Equivalent
};

struct RunRequest {
  const std::vector<Value>& reads;
  const std::vector<TracedEvent>& expected; // of the input, from where it starts
  const Schedule& schedule;
  bool only_after_exit = false; // states before the first forced exit were compared already
  WantedState* wanted = nullptr;
  bool show_exits = false;          // RunResult::exits_differ is wanted
  const Segment* segment = nullptr; // null: a whole run
};

struct RunResult {
  Agreement agreement = Agreement::Equivalent;
  std::string what; // differs, or limits
  Oracle oracle = Oracle::Events;
  std::string kind; // as LockstepVerdict::kind
  bool checker_failed = false;
  bool input_at_fault = false;
  std::optional<std::uint64_t> unmet;      // the number of an expected state
  std::uint64_t output_step = 0;           // of the output, where it was seen
  std::optional<std::uint64_t> input_step; // of the input's traced run
  // Steps of both where they agreed last: after an event, or in a state that the map gives.
  std::uint64_t agreed_output = 0, agreed_input = 0, agreed_events = 0;
  std::optional<Counterexample::States> exits_differ;
  std::uint64_t output_steps = 0; // in all
  Opportunities opportunities;
  std::uint64_t steps = 0, events = 0, states = 0, forced = 0, exits = 0, moved_exits = 0,
                mapped_exits = 0, not_mapped = 0, entered = 0;
  std::uint64_t watched = 0, invalidated = 0; // guards; exits at invalidation points
  // Places at which an exit was forced. Of map:at: the numbers that led to a mapped position.
  std::set<std::pair<const ResolvedVersion*, Pc>> forced_places;
  std::set<std::uint64_t> mapped_numbers;
  std::set<std::uint64_t> entered_versions;
  bool skipped = false;
};

struct LockstepState {
  LockstepState(LockstepSetting& run_setting, const RunRequest& run_request);
  LockstepState(const LockstepState&) = delete;
  LockstepState& operator=(const LockstepState&) = delete;

  // Ends the run.
  void end(Agreement agreement, std::string what);
  // Ends the run as inconclusive because of a limit.
  void end_at_limit(const Event& limit, std::string what);
  // Ends the run as different if that oracle is on. `detail`: for RunResult::kind.
  bool differ(Oracle oracle, std::string_view detail, std::string what);
  void unmet_state(const ExpectedState& expected_state);
  // A state after the last event in which both agree; null: there is none.
  void agreed_in(const ExpectedState* met);
  // To be called at each step: an interrupt ends the run.
  bool interrupted(const Config& c);
  // The first `most` frames of the input that the output stands for. Empty: it is not mapped, or
  // the run has ended because the map is wrong.
  std::optional<SourceFrames> source_frames(BorrowedBlocks& blocks, std::size_t most);
  // Expects the state of the input that the output is in now.
  void expect_state();
  // Notes that the exit at that position made a state that is compared.
  void note_exit(const ResolvedVersion* code, Pc pc);
  // Rebuilds the input's configuration from the output's; it is followed from there on, unless too
  // much has been copied so far, or a live variable is unknown.
  void anchor();
  // States are not compared until fewer than that many frames wait; in a whole run, never again.
  void suspend(std::size_t frames);
  const std::string& input_name() const { return setting.options.input_name; }
  const std::string& output_name() const { return setting.options.output_name; }

  // Values copied to rebuild configurations, in one run; then only events are compared.
  static constexpr std::uint64_t kCopiedValues = 2'000'000;

  LockstepSetting& setting;
  const RunRequest& request;
  Limits limits, input_limits; // of the output and of the input
  Input output_input, follower_input;
  Config output;
  Config follower; // the input's run up to the same event
  StackMapper mapper;
  ExpectedStates expected_states;
  RunResult result;
  bool over = false;
  bool mapped;    // the output is followed through the map
  bool following; // the input is followed, too, in `follower`
  bool quiet;     // states are not compared before the first forced exit
  // The follower continues from a state that the map gave after the last event; an exit may go back
  // to an earlier position.
  bool resumed = false;
  // The follower was rebuilt after an exit: it is no run of the input from its start any more.
  bool anchored = false;
  // After an exit above frames of which live variables are unknown, the input cannot be rebuilt:
  // its own run is followed, and states are compared again once fewer than this many frames wait.
  std::optional<std::size_t> suspended_above;
  bool was_suspended = false;
  bool own_exits_only = true; // the input took exits of its own only
  std::uint64_t injected = 0; // exits that the schedule forces
  std::uint64_t copied = 0;   // values, to rebuild configurations
  std::uint64_t follower_steps = 0;
};

} // namespace sourir
