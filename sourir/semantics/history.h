// A run that moves forward and back, step by step, deoptimizations included. The last kKept steps
// are undone from the values that they overwrote. To go further back the run starts again, which
// leads to the same states, since everything that decides them is in the configuration.
#pragma once

#include "sourir/semantics/step.h"

#include <deque>
#include <string>

namespace sourir {

class History {
public:
  static constexpr std::size_t kKept = 1'000'000;

  // `initial` must be a start configuration.
  explicit History(Config initial);

  const Config& config() const { return config_; }
  std::uint64_t steps() const { return config_.steps; }
  // One step forward; the text of a print is appended to output().
  StepResult forward();
  // One step back; false at the start.
  bool back();
  // To an absolute number of steps (forward at most to the end).
  void go(std::uint64_t steps);
  // All that was printed up to here, one line each.
  const std::string& output() const { return output_; }

private:
  Config initial_, config_;
  std::deque<Undo> undo_;
  std::string output_;
};

} // namespace sourir
