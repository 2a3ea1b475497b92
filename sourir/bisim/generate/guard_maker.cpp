#include "sourir/bisim/generate/guard_maker.h"

#include <array>

namespace sourir::random {

FunName GuardMaker::member(std::uint8_t family) {
  const auto& members = out_.generation().library.families[family].members;
  const std::uint32_t at = out_.choices().below(static_cast<std::uint32_t>(members.size()));
  return out_.generation().library.callees[members[at]].name;
}

Kind GuardMaker::element_type() {
  constexpr std::array kLikely{Kind::Int, Kind::Int, Kind::Float, Kind::Bool};
  return kLikely[out_.choices().below(kLikely.size())];
}

Guard GuardMaker::fact_guard(const BodyEnv& env, VarIndex k) {
  const Variable& v = env.tree().vars[k];
  const Type& type = v.type;
  Guard guard;
  const SimpleExpr x = env.slots[k].value;
  guard.variable = v.assigned || literal_kind(x) ? kNone : k;
  unsigned kind = out_.choices().below(7);
  while (!type.kinds.has(static_cast<Kind>(kind))) kind = (kind + 1) % kTypes;
  guard.kind = static_cast<Kind>(kind);
  guard.test = KindTest{x, guard.kind};
  if (guard.kind == Kind::Array && out_.choices().chance(1, 2)) {
    guard.test = ElementsTest{x, element_type()};
    return guard;
  }
  if (!out_.may_be_literal(env.tree(), k) || type.may_be(Kind::Float) ||
      !out_.choices().chance(1, 2))
    return guard;
  if (const Literal* known = env.tree().constant(k))
    guard.equals = *known;
  else if (guard.kind == Kind::Int)
    guard.equals = Literal(static_cast<std::int64_t>(out_.choices().below(4)));
  else if (guard.kind == Kind::Bool)
    guard.equals = Literal(out_.choices().chance(1, 2));
  else if (guard.kind == Kind::Nil)
    guard.equals = Literal(Nil{});
  else if (guard.kind == Kind::Fun && type.family != kNoFamily)
    guard.equals = Literal(member(type.family));
  else
    return guard;
  guard.test = Binary{BinaryOp::Eq, x,
                      std::visit([](auto value) { return SimpleExpr(value); }, *guard.equals)};
  return guard;
}

// Any test, also one that is false or fails, which counts as false.
Expr GuardMaker::some_test(const BodyEnv& env) {
  const auto operand = [&]() -> SimpleExpr {
    const auto n = static_cast<std::uint32_t>(env.scope.size());
    if (n > 0 && out_.choices().chance(3, 4))
      return env.slots[env.scope[out_.choices().below(n)]].value;
    return static_cast<std::int64_t>(out_.choices().below(3));
  };
  const SimpleExpr left = operand();
  switch (out_.choices().below(6)) {
  case 5: return ElementsTest{left, element_type()};
  case 0: return Binary{BinaryOp::Ne, left, operand()};
  case 1: return Binary{static_cast<BinaryOp>(out_.choices().below(13)), left, operand()};
  case 2: return Unary{UnaryOp::Not, left};
  case 3:
    if (const auto* x = std::get_if<Var>(&left)) return Index{*x, operand()};
    return left;
  default: return left;
  }
}

Guard GuardMaker::guard(const BodyEnv& env) {
  const auto n = static_cast<std::uint32_t>(env.scope.size());
  const std::uint32_t form = out_.choices().below(8);
  if (form == 0 || n == 0) return {SimpleExpr(true)};
  if (form < 6) { // preferably about variables of several types
    const auto telling = [&](VarIndex k) {
      const Variable& v = env.tree().vars[k];
      return !v.assigned && (v.type.kinds.several() || k < env.tree().params());
    };
    VarIndex k = env.scope[out_.choices().below(n)];
    for (int again = 0; again < 2 && !telling(k); ++again) k = env.scope[out_.choices().below(n)];
    return fact_guard(env, k);
  }
  return {some_test(env)};
}

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
