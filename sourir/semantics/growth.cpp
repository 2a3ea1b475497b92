#include "sourir/semantics/growth.h"

#include <algorithm>

namespace sourir {

using GrowthKind = GrowthStep::Kind;

GrowthSchedule::GrowthSchedule(std::vector<GrowthStep> steps) : steps_(std::move(steps)) {
  for (std::size_t k = 0; k < steps_.size(); ++k)
    if (steps_[k].kind == GrowthKind::Enter) entries_[steps_[k].code->function].push_back(k);
}

// The number of steps made once those without an effect here are.
std::size_t GrowthSchedule::after_remarks(const Config& c) const {
  std::size_t k = c.grown;
  while (k < steps_.size() && steps_[k].kind == GrowthKind::Remark && steps_[k].code == c.code &&
         steps_[k].pc == c.pc && steps_[k].events == c.events && steps_[k].depth == c.frames.size())
    ++k;
  return k;
}

const GrowthStep* GrowthSchedule::pending(const Config& c) const {
  const std::size_t k = c.stopped() ? steps_.size() : after_remarks(c);
  if (k == steps_.size()) return nullptr;
  const GrowthStep& step = steps_[k];
  if (step.code != c.code || step.pc != c.pc) return nullptr;
  if (step.kind == GrowthKind::MoveIn && step.events == c.events &&
      (step.depth == kAnyDepth || step.depth == c.frames.size()) && waits_for(c, step))
    return &step;
  const std::size_t made = step.exit != nullptr ? step.exit->outer.size() : 0;
  if (step.kind == GrowthKind::Mapped && step.events == c.events + 1 &&
      step.depth == c.frames.size() + made)
    return &step;
  return nullptr;
}

bool GrowthSchedule::waits_for(const Config& c, const GrowthStep& step) {
  std::vector<const OutlinedFrom*> callers; // the outermost first
  for (const OutlinedFrom* rest = step.rest; rest->callee != nullptr; rest = rest->callee.get())
    callers.push_back(rest);
  if (callers.size() > c.frames.size()) return false;
  const auto frames = std::span(c.frames).last(callers.size());
  return std::ranges::equal(frames, callers, [](const Continuation& k, const OutlinedFrom* rest) {
    return k.code == rest->from && k.pc == rest->head && k.result == rest->result;
  });
}

const ResolvedVersion* GrowthSchedule::entered(const Config& c, FunName function) const {
  const auto found = entries_.find(function);
  if (found == entries_.end()) return nullptr;
  // Those made, and those that this call makes.
  const auto is_made = [&](std::size_t k) {
    return k < c.grown || steps_[k].events <= c.events + 1;
  };
  const auto after = std::ranges::partition_point(found->second, is_made);
  return after == found->second.begin() ? nullptr : steps_[*std::prev(after)].into;
}

void GrowthSchedule::count(Config& c, const Effect& effect) const {
  if (std::holds_alternative<effect::MoveInto>(effect)) {
    c.grown = after_remarks(c) + 1;
    return;
  }
  c.grown = after_remarks(c);
  const auto* const push = std::get_if<effect::Push>(&effect);
  const bool exits = std::holds_alternative<effect::Replace>(effect);
  if (push == nullptr && !exits && !is_back_edge(c.instr(), c.pc)) return;
  ++c.events;
  const auto is_next = [&](GrowthKind kind) {
    return c.grown < steps_.size() && steps_[c.grown].kind == kind &&
           steps_[c.grown].events == c.events;
  };
  if (push != nullptr)
    while (is_next(GrowthKind::Enter) && steps_[c.grown].code->function == push->callee->function)
      ++c.grown;
  if (exits && (is_next(GrowthKind::Exit) || is_next(GrowthKind::Mapped)) &&
      steps_[c.grown].code == c.code && steps_[c.grown].pc == c.pc)
    ++c.grown;
}

Next grows(const Config& c) {
  for (const RuleRow& row : growth_rules())
    if (Derivation d = row.rule(c)) return {&row, std::move(d)};
  return {nullptr, kOtherRule};
}

} // namespace sourir
