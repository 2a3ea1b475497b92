// The runs of check_lockstep(): one of the output beside the input, and one with exits at mapped
// positions. Internal to it.
// The output goes first, to its next event; the states that it stands for are expected of the part
// of the input's run up to the same event (a window). Where the output exits to code that the input
// is not in, no run of the input passes there by itself: the input's configuration is rebuilt from
// the output's through the map and followed from there on (exit_check.h).
#pragma once

#include "sourir/bisim/exit_check.h"

namespace sourir {

// Whether the schedule of the configuration forces an exit in its next step.
bool forces_next_exit(const Config& c);
// The versions between which the schedule decides in the next step: the one that a call enters
// without it, and the other one that it enters. Empty: the schedule changes nothing.
struct OtherVersion {
  const ResolvedVersion *without, *entered;
};
std::optional<OtherVersion> enters_other_version(const Config& c);

class LockstepRun {
public:
  LockstepRun(LockstepSetting& setting, const RunRequest& request) : s_(setting, request) {}
  RunResult run();

private:
  void count_entered(const OtherVersion& versions);
  void window();
  std::optional<Event> output_window();
  StepResult step_at_exit(std::string& printed);
  bool due();
  bool wanted_by_segment() const;
  void forced_exit_failed(StuckReason why);
  void follow(const Event& event);
  bool at_end_of_segment() const;
  void end_segment();
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

// Exits at any mapped position (schedules map:...): one run of the output, which forces no exit,
// and from which runs branch off that continue in the input, in the configuration that the map
// gives, and must do what the input does.
class MappedExitRun {
public:
  // `shown`: receives both sides of the difference, if there is one.
  MappedExitRun(LockstepSetting& setting, const RunRequest& request,
                Counterexample* shown = nullptr);
  RunResult run();

private:
  static constexpr std::uint64_t kCopiedValues = 2'000'000; // into configurations of the input

  bool enough() const;
  void choose();
  bool take_mapped_exit();
  std::optional<std::uint64_t> continue_run(Config c);
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
  // An exit is due at the next mapped position; the numbers of map:at that ask for it.
  bool chosen_ = false;
  std::vector<std::uint64_t> chosen_numbers_;
  std::uint64_t copied_ = 0, input_steps_ = 0;
  bool over_ = false;
};

} // namespace sourir
