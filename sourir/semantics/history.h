// The history of a run: steps forward and back, deoptimizations included. The last kKept steps are
// undone from what they overwrote; a step further back runs the program again from the start, which
// gives the same states since everything that decides them is in the configuration.
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
  // The lines printed up to the current step, each with its newline.
  const std::string& output() const { return output_; }

private:
  Config initial_, config_;
  std::deque<Undo> undo_;
  std::string output_;
};

} // namespace sourir
