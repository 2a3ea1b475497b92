// Leaving at any position that the state map speaks of (schedules map:...): there the run goes on
// in the input, in the configuration that the map gives, and does what the input does anyway.
// Internal to check_lockstep.
#pragma once

#include "sourir/bisim/lockstep_run.h"

namespace sourir {

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
  void leave();
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
