// One run of the output beside the input. Internal to check_lockstep().
//
// The output goes first, to its next event; the states that it stands for are expected of the part
// of the input's run up to the same event (a window). Where the output exits to code that the input
// is not in, no run of the input passes there by itself: the input's configuration is rebuilt from
// the output's through the map and followed from there on (exit_check.h).
#pragma once

#include "sourir/bisim/exit_check.h"

namespace sourir {

class LockstepRun {
public:
  LockstepRun(LockstepSetting& setting, const RunRequest& request) : s_(setting, request) {}
  RunResult run();

private:
  void window();
  std::optional<Event> output_window();
  bool due();
  void forced_exit_failed(StuckReason why);
  void follow(const Event& event);
  void other_event(const Event& event, const TracedEvent& expected);
  void at_limit(const Event& event);
  bool input_never_ends(const Schedule& schedule);
  bool input_repeats();
  Oracle event_oracle() const;
  void check_forced();

  LockstepState s_;
  ExitCheck exits_{s_};
  std::size_t next_event_ = 0;
  std::uint64_t seen_states_ = 0;
};

// Leaving at any position that the state map speaks of (schedules map:...): there the run goes on
// in the input, in the configuration that the map gives, and does what the input does anyway.
// Internal to check_lockstep.

// One run of the output, which forces no exit; from it the input's runs branch off.
class MappedExitRun {
public:
  // `shown`: gets both sides of the difference, if there is one.
  MappedExitRun(LockstepSetting& setting, const RunRequest& request,
                Counterexample* shown = nullptr);
  RunResult run();

private:
  static constexpr std::uint64_t kCopiedValues = 2'000'000; // into configurations of the input

  bool enough() const;
  void take_mapped_exit();
  std::optional<std::uint64_t> go_on(Config c);
  std::optional<std::uint64_t> at_limit(Config c, const Event& event);
  bool differ(std::string_view detail, std::string what);
  void show(Config c, std::uint64_t differs) const;

  LockstepSetting& setting_;
  const RunRequest& request_;
  Counterexample* shown_;
  Input output_input_, input_;
  Config output_;
  StackMapper mapper_;
  RunResult result_;
  std::size_t next_event_ = 0;
  std::uint64_t copied_ = 0, input_steps_ = 0;
  bool over_ = false;
};

} // namespace sourir
