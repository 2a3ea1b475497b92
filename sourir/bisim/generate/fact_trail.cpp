#include "sourir/bisim/generate/fact_trail.h"

namespace sourir::random {

std::optional<Kind> literal_kind(const SimpleExpr& e) {
  // The alternatives are in the order of the types but for the last, the variable.
  static_assert(std::is_same_v<std::variant_alternative_t<5, SimpleExpr>, FunName>);
  return std::holds_alternative<Var>(e) ? std::nullopt
                                        : std::optional(static_cast<Kind>(e.index()));
}

bool implied(const BodyEnv& env, const WrittenVersion& target, FactId facts) {
  for (FactId id = facts; id != kNone; id = target.facts[id].before) {
    const Fact& fact = target.facts[id];
    const Slot& slot = env.slots[fact.variable];
    const Expr value = slot.value;
    const bool holds =
        fact.equals ? value == Expr(std::visit([](auto v) { return SimpleExpr(v); }, *fact.equals))
                    : slot.kind == fact.kind || literal_kind(slot.value) == fact.kind;
    if (!holds) return false;
  }
  return true;
}

void FactTrail::learn(BodyEnv& env, VarIndex k, std::optional<Literal> equals, Kind kind) {
  trail_.push_back({k, env.slots[k], env.facts, &env});
  if (equals)
    env.slots[k].value = std::visit([](auto v) { return SimpleExpr(v); }, *equals);
  else
    env.slots[k].kind = kind;
  out_.version().facts.push_back({k, equals, kind, env.facts});
  env.facts = static_cast<FactId>(out_.version().facts.size() - 1);
}

void FactTrail::forget(BodyEnv& env, std::size_t mark) {
  while (trail_.size() > mark) {
    const UndoFact& undo = trail_.back();
    if (undo.env == &env) {
      env.slots[undo.variable].value = undo.old.value;
      env.slots[undo.variable].kind = undo.old.kind;
      env.facts = undo.facts;
    }
    trail_.pop_back();
  }
}

} // namespace sourir::random
