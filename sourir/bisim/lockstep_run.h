// One run of the output beside the input. Internal to check_lockstep.
//
// The output goes first, to its next event; the states that it stands for are demands on the part
// of the input's run up to the same event (a window). Where the output leaves by an exit to code
// that the input is not in, no run of the input passes there by itself: the input's configuration
// is rebuilt from the output's through the map and followed from there on.
#pragma once

#include "sourir/bisim/demands.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/bisim/mapped_frames.h"
#include "sourir/bisim/observed.h"

#include <map>

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
  Wanted* wanted = nullptr;
  bool show_exits = false; // RunResult::exits_differ is wanted
};

struct RunResult {
  Agreement agreement = Agreement::Equivalent;
  std::string what; // differs, or limits
  Oracle oracle = Oracle::Events;
  std::string kind;
  bool checker_failed = false;
  bool input_at_fault = false;
  std::optional<std::uint64_t> unmet;      // the number of a demand
  std::uint64_t output_step = 0;           // of the output, where it was seen
  std::optional<std::uint64_t> input_step; // of the input's traced run
  // Steps of both where they agreed last: behind an event, or in a state that the map gives.
  std::uint64_t agreed_output = 0, agreed_input = 0, agreed_events = 0;
  std::optional<Counterexample::States> exits_differ;
  std::uint64_t output_steps = 0; // in all
  std::uint64_t steps = 0, events = 0, states = 0, opportunities = 0, forced = 0, exits = 0,
                moved_exits = 0, mapped_exits = 0, not_mapped = 0;
  bool skipped = false;
};

class LockstepRun {
public:
  LockstepRun(LockstepSetting& setting, const RunRequest& request);
  RunResult run();

private:
  // Values copied to rebuild configurations, in one run; then only events are compared.
  static constexpr std::uint64_t kCopiedValues = 2'000'000;
  // While no exit is forced, each time that a site leaves is another state of the input's run.
  static constexpr std::uint64_t kMoreDeoptimizations = 64;
  static constexpr std::size_t kOwnExits = 4; // in a row

  // Frames of the input, each by itself, so that they can be compared one by one.
  struct MarkedFrames {
    std::uint64_t depth = 0, all = 0; // `all`: the fingerprint of the whole state
    struct Mark {
      const ResolvedVersion* code;
      Pc pc;
      std::uint64_t fingerprint;
    };
    std::vector<Mark> frames;
  };
  struct OwnExit { // of the input, at some place
    MarkedFrames made;
    ShownState shown; // with RunRequest::show_exits
  };
  // The input's state before the output leaves, and where exits of the input itself go there.
  struct Before {
    bool mapped = false;
    std::uint64_t depth = 0;
    std::vector<std::pair<const ResolvedVersion*, Pc>> places; // of all frames
    std::vector<OwnExit> own;
    const ResolvedVersion* code = nullptr; // of the output
    Pc pc = 0;
    std::vector<Value> env;
  };

  // Looked at from time to time; ends the run.
  bool interrupted(const Config& c);
  void window();
  void at_limit(const Event& event);
  bool input_never_ends(const Schedule& schedule);
  bool input_repeats();
  Oracle event_oracle() const;
  const std::string& input_name() const { return setting_.options.input_name; }
  const std::string& output_name() const { return setting_.options.output_name; }
  std::optional<Event> output_window();
  bool due();
  void demand();
  std::optional<SourceFrames> source_frames(BorrowedBlocks& blocks, std::size_t most);
  StepResult at_exit(std::string& printed);
  StepResult leave(bool forced, std::string& printed);
  Before look_before();
  std::vector<OwnExit> own_exits(Heap& heap, SourceFrames now, BorrowedBlocks& blocks);
  // Whether an exit that the input passes, up to its next event, makes this state.
  std::optional<OwnExit> passed_exit(const MarkedFrames& after);
  bool stays_in_code(const Before& before, const SourceFrames& after) const;
  bool no_progress(const Before& before) const;
  void left(const Before& before);
  MarkedFrames marked(const Heap& heap, std::span<const SeenFrame> frames, std::uint64_t depth);
  static bool same_place(const MarkedFrames& a, const MarkedFrames& b); // of the innermost frames
  OwnExit exit_to(const Heap& heap, const SourceFrames& to);
  std::string differs_from_own(const MarkedFrames& own, const MarkedFrames& after) const;
  OwnExit like_own(const Before& before, const OwnExit& own, const OwnExit& after);
  void settle();
  void anchor();
  void follow(const Event& event);
  void note_injected();
  void check_forced();

  void end(Agreement agreement, std::string what);
  // Ends the run as different if that oracle is asked. `detail`: for RunResult::kind.
  bool differ(Oracle oracle, std::string_view detail, std::string what);
  void unmet_demand(const Demand& demand);
  void agreed_in(const Demand* met);
  void count_deoptimization(const ResolvedVersion* code, Pc pc);
  void other_event(const Event& event, const TracedEvent& expected);

  LockstepSetting& setting_;
  const RunRequest& request_;
  Input output_input_, follower_input_;
  Config output_, follower_;
  StackMapper mapper_;
  Demands demands_;
  RunResult result_;
  bool over_ = false;
  bool mapped_, following_, quiet_;
  // The input's run goes on from a state that the map gave behind the last event; an exit may go
  // back to an earlier place.
  bool resumed_ = false;
  bool anchored_ = false, own_exits_only_ = true; // the input left by exits of its own
  std::size_t next_event_ = 0;
  std::uint64_t injected_ = 0; // exits that the schedule says are to be forced
  std::uint64_t seen_states_ = 0, copied_ = 0, follower_steps_ = 0;
  std::map<std::pair<const ResolvedVersion*, Pc>, std::uint64_t> deoptimizations_; // by site
};

} // namespace sourir
