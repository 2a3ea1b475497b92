#include "native/tiering/deoptless.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>

namespace sourir::native {

// The variables in scope, but for the one that waits for a result.
bool Deoptless::add_frame(DeoptTarget& target, const resolved::Frame& frame,
                          const Slot* result) const {
  const ResolvedVersion& code = *frame.code;
  if (program_.version(code.function, code.version) != &code) return false;
  if (frame.pc >= code.source->body.size() || !code.source->when.empty()) return false;
  const auto& functions = program_.source().functions;
  const auto function = std::ranges::find(functions, code.function, &Function::name);
  const auto scope = scope_at(program_.source(), *function, *code.source, frame.pc);
  const Cfg cfg(*code.source, {});
  if (!scope || !cfg.reachable(Position{frame.pc})) return false;
  const VarSet live = Liveness(*code.source, cfg).before(frame.pc);
  const auto number = static_cast<std::uint32_t>(target.frames.size());
  for (const Var x : *scope) {
    const Slot slot = *code.slot_of(x);
    if (result == nullptr || slot != *result)
      target.variables.push_back({number, slot, std::ranges::find(live, x) != live.end()});
  }
  target.frames.push_back({&code, frame.pc, result != nullptr ? *result : 0});
  return target.variables.size() <= DeoptContext::kMostVariables;
}

const DeoptTarget* Deoptless::target(const resolved::Exit& exit) {
  DeoptTarget target;
  if (!add_frame(target, exit.frame, nullptr)) return nullptr;
  for (const resolved::OuterFrame& outer : exit.outer)
    if (!add_frame(target, outer.frame, &outer.result)) return nullptr;
  const auto known = std::ranges::find(targets_, target);
  if (known != targets_.end()) return &*known;
  targets_.push_back(std::move(target));
  return &targets_.back();
}

// The first in a linear extension of entailment: none that it entails is closer.
const DeoptContinuation* Deoptless::find(const Table& table, const DeoptContext& context) const {
  const auto at = std::ranges::find_if(table, [&](const DeoptContinuation* c) {
    return c->entry->code != nullptr && entails(context, c->context);
  });
  return at == table.end() ? nullptr : *at;
}

const DeoptContinuation& Deoptless::add(Table& table, const DeoptContext& context) {
  const DeoptTarget::Frame& to = context.target->frames.front();
  const auto number = static_cast<std::uint32_t>(continuations_.size() + 1);
  OsrEntry& entry = cache_.osr_entry(*to.code, to.pc, number);
  DeoptContinuation& made = continuations_.emplace_back(DeoptContinuation{context, &entry});
  const auto before = [](const DeoptContinuation* a, const DeoptContinuation* b) {
    return comes_before(a->context, b->context);
  };
  table.insert(std::ranges::upper_bound(table, &made, before), &made);
  by_entry_[&entry] = &made;
  return made;
}

Deoptless::Decision Deoptless::at_exit(const DeoptContext& context) {
  Table& table = table_of(*context.target);
  Class& all = class_of(context);
  const DeoptContinuation* const found = find(table, context);
  ExitHistory h{.guard = context.cause.guard,
                .exits = all.exits++,
                .arrivals = all.arrivals + 1,
                .compiling = all.compiling,
                .continuations = static_cast<std::uint32_t>(table.size()),
                .failed = all.failed};
  if (found != nullptr) h.wider_by = wider_by(context, found->context);
  const TieringPolicy::Dispatch d = policy_.at_exit(h);
  Decision decision{.enter = d.enters ? found : nullptr, .adds = all.failed != 0};
  if (!d.arrives) return decision;
  ++all.arrivals;
  // For a closer one than what was found, the present context counts, not those before.
  all.arrived = all.arrived && found == nullptr ? join(*all.arrived, context) : context;
  if (!d.compiles) return decision;
  all.compiling = true;
  decision.compile = &add(table, *all.arrived);
  return decision;
}

void Deoptless::compiled(const OsrEntry& entry, bool has_code) {
  const DeoptContinuation* const made = of(entry);
  if (made == nullptr) return;
  Class& all = class_of(made->context);
  all.compiling = false;
  all.arrivals = 0;
  all.arrived = std::nullopt;
  if (!has_code) remove(entry);
}

void Deoptless::remove(const OsrEntry& entry) {
  const auto at = by_entry_.find(&entry);
  if (at == by_entry_.end()) return;
  ++class_of(at->second->context).failed;
  std::erase(table_of(*at->second->context.target), at->second);
  by_entry_.erase(at);
}

const DeoptContinuation* Deoptless::of(const OsrEntry& entry) const {
  const auto at = by_entry_.find(&entry);
  return at == by_entry_.end() ? nullptr : at->second;
}

} // namespace sourir::native
