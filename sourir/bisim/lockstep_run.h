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

} // namespace sourir
