#include "sourir/semantics/history.h"

namespace sourir {

History::History(Config initial) : initial_(std::move(initial)), config_(initial_) {}

StepResult History::forward() {
  const std::uint64_t before = config_.output_bytes;
  Undo record;
  const std::uint64_t steps = config_.steps;
  const StepResult result = step(config_, output_, &record);
  if (config_.output_bytes != before) output_ += '\n';
  if (config_.steps != steps) {
    undo_.push_back(std::move(record));
    if (undo_.size() > kKept) undo_.pop_front();
  }
  return result;
}

bool History::back() {
  if (config_.steps == initial_.steps) return false;
  if (undo_.empty()) {
    go(config_.steps - 1);
    return true;
  }
  undo(config_, std::move(undo_.back()));
  undo_.pop_back();
  output_.resize(config_.output_bytes - initial_.output_bytes);
  return true;
}

void History::go(std::uint64_t steps) {
  if (steps < config_.steps && config_.steps - steps > undo_.size()) {
    config_ = initial_;
    undo_.clear();
    output_.clear();
  }
  while (config_.steps > steps && back()) {
  }
  while (config_.steps < steps) {
    const std::uint64_t before = config_.steps;
    forward();
    if (config_.steps == before) return;
  }
}

} // namespace sourir
