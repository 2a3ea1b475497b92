#include "sourir/stepper/step_walk.h"

namespace sourir {

WalkEnd Walker::step(StepDirection direction) {
  if (direction == StepDirection::Back) return history_.back() ? WalkEnd::Arrived : WalkEnd::Start;
  const std::uint64_t before = config().steps;
  const StepResult result = history_.forward();
  if (config().steps != before) return WalkEnd::Arrived;
  refused_ = result;
  refused_at_ = before;
  return WalkEnd::End;
}

// Steps at least once, until `arrived` (an optional WalkEnd) says why to stop.
template <class Arrived>
WalkEnd Walker::walk(StepDirection direction, Arrived arrived) {
  constexpr std::uint64_t kSometimes = (std::uint64_t{1} << 20) - 1;
  for (std::uint64_t walked = 1;; ++walked) {
    if (const WalkEnd end = step(direction); end != WalkEnd::Arrived) return end;
    if (config().stopped()) return WalkEnd::End;
    if (const std::optional<WalkEnd> why = arrived()) return *why;
    if (interrupt_.load(std::memory_order_relaxed)) return WalkEnd::Interrupted;
    if ((walked & kSometimes) == 0 && progress_) progress_();
  }
}

std::optional<WalkEnd> Walker::at_breakpoint() const {
  if (breakpoints_.at(position()) != 0) return WalkEnd::Breakpoint;
  return std::nullopt;
}

WalkEnd Walker::to_breakpoint(StepDirection direction) {
  return walk(direction, [&] { return at_breakpoint(); });
}

WalkEnd Walker::to_deopt(StepDirection direction) {
  return walk(direction, [&]() -> std::optional<WalkEnd> {
    if (at_deopt()) return WalkEnd::Deopt;
    return std::nullopt;
  });
}

WalkEnd Walker::over_call(StepDirection direction) {
  const std::size_t depth = config().frames.size();
  const bool enters =
      direction == StepDirection::Back ||
      (!config().stopped() && std::holds_alternative<resolved::Call>(config().instr()));
  return walk(direction, [&]() -> std::optional<WalkEnd> {
    if (!enters || config().frames.size() <= depth) return WalkEnd::Arrived;
    return at_breakpoint();
  });
}

WalkEnd Walker::out_of_frame(StepDirection direction) {
  const std::size_t depth = config().frames.size();
  return walk(direction, [&]() -> std::optional<WalkEnd> {
    if (config().frames.size() < depth) return WalkEnd::Arrived;
    return at_breakpoint();
  });
}

WalkEnd Walker::to_step(std::uint64_t number) {
  if (number < config().steps) history_.go(number);
  if (number == config().steps) return number == 0 ? WalkEnd::Start : WalkEnd::Arrived;
  return walk(StepDirection::Forward, [&]() -> std::optional<WalkEnd> {
    if (config().steps == number) return WalkEnd::Arrived;
    return std::nullopt;
  });
}

StepResult Walker::end() const {
  if (config().stopped()) return {StepStatus::Stopped};
  // Which limit is in the way is only known to the step that tried.
  if (refused_ && refused_at_ == config().steps && refused_->status == StepStatus::AtLimit)
    return *refused_;
  StepResult result;
  const Next found = next(config());
  result.why = found.derivation.why;
  result.limit = config().steps >= config().limits->fuel ? Limit::Fuel : found.derivation.limit;
  if (result.limit != Limit::None)
    result.status = StepStatus::AtLimit;
  else if (!found.rule)
    result.status = StepStatus::Stuck;
  return result;
}

bool Walker::at_deopt() const {
  if (config().stopped() || (!std::holds_alternative<resolved::Assume>(config().instr()) &&
                             !std::holds_alternative<resolved::Anchor>(config().instr())))
    return false;
  const Next found = next(config());
  return found.rule && std::holds_alternative<effect::Replace>(found.derivation.transition->effect);
}

} // namespace sourir
