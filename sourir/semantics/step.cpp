#include "sourir/semantics/step.h"

namespace sourir {

namespace {

// The first limit that the effect would exceed.
Limit exceeded(const Config& c, const Effect& effect) {
  const Limits& limits = *c.limits;
  if (const auto* e = std::get_if<effect::Allocate>(&effect)) {
    if (e->length > limits.array) return Limit::Array;
    if (c.heap.bytes + Heap::size_of(e->length) > limits.heap) return Limit::Heap;
  } else if (const auto* push = std::get_if<effect::Push>(&effect)) {
    if (c.frames.size() >= limits.depth ||
        (c.stack.size() + push->callee->slots.size()) * sizeof(Value) > limits.stack)
      return Limit::Depth;
  } else if (const auto* replace = std::get_if<effect::Replace>(&effect)) {
    if (c.frames.size() + replace->to.frames.size() - 1 > limits.depth) return Limit::Depth;
  }
  return Limit::None;
}

StepResult at_limit(Limit limit) {
  return {StepStatus::AtLimit, nullptr, {}, StuckReason::None, limit};
}

// The text of a print, and whether it fits into what may still be printed.
bool print_fits(const Config& c, const Action& action, std::string& printed) {
  const std::uint64_t left = c.limits->output - c.output_bytes;
  return left > 0 && render(printed, action.value, c.heap, c.program->names(), left - 1);
}

} // namespace

Next next(const Config& c) {
  Next found{nullptr, kOtherRule};
  for (const RuleRow& row : rules_for(c.instr().index())) {
    Derivation d = row.rule(c);
    if (d) return {&row, std::move(d)};
    if (d.why != StuckReason::None || d.limit != Limit::None) found.derivation = std::move(d);
  }
  return found;
}

StepResult step(Config& c, std::string& printed, Undo* undo) {
  if (c.stopped()) return {StepStatus::Stopped};
  if (c.steps >= c.limits->fuel) return at_limit(Limit::Fuel);
  Next found = next(c);
  if (!found.rule) {
    const Derivation& d = found.derivation;
    return d.limit != Limit::None ? at_limit(d.limit)
                                  : StepResult{StepStatus::Stuck, nullptr, {}, d.why};
  }
  Transition& t = *found.derivation.transition;
  if (const Limit limit = exceeded(c, t.effect); limit != Limit::None) return at_limit(limit);
  const Action action = t.action;
  const std::size_t before = printed.size();
  if (action.kind == ActionKind::Print && !print_fits(c, action, printed)) {
    printed.resize(before);
    return at_limit(Limit::Output);
  }
  const std::uint64_t bytes =
      action.kind == ActionKind::Print ? printed.size() - before + 1 : 0; // and its newline
  apply(c, std::move(t), bytes, undo);
  return {c.stopped() ? StepStatus::Stopped : StepStatus::Stepped, found.rule, action};
}

} // namespace sourir
