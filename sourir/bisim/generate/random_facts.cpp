// VersionWriter: what guards test, and what is known behind them.
#include "sourir/bisim/generate/random_writer.h"

#include <algorithm>

namespace sourir::random {

namespace {

std::optional<Kind> literal_kind(const SimpleExpr& e) {
  // The alternatives are in the order of the kinds but for the last, the variable.
  static_assert(std::is_same_v<std::variant_alternative_t<5, SimpleExpr>, FunName>);
  return std::holds_alternative<Var>(e) ? std::nullopt
                                        : std::optional(static_cast<Kind>(e.index()));
}

} // namespace

// Arrays have no literal, and neither has what may stand where an array must. With errors, a
// function may be called with a wrong number of arguments, which its name does not allow.
bool VersionWriter::may_be_literal(const Tree& tree, VarIndex k) const {
  const Type& type = tree.vars[k].type;
  return !type.may_be(Kind::Array) && (context_.policy.errors == 0 || !type.may_be(Kind::Fun));
}

void VersionWriter::learn(Env& env, VarIndex k, std::optional<Literal> equals, Kind kind) {
  trail_.push_back({k, env.slots[k], env.facts, &env});
  if (equals)
    env.slots[k].value = std::visit([](auto v) { return SimpleExpr(v); }, *equals);
  else
    env.slots[k].kind = kind;
  version_.facts.push_back({k, equals, kind, env.facts});
  env.facts = static_cast<FactId>(version_.facts.size() - 1);
}

void VersionWriter::forget(Env& env, std::size_t mark) {
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

// Whether what a place of the target relies on is known here.
bool VersionWriter::implied(const Env& env, const Written& target, FactId facts) const {
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

FunName VersionWriter::member(std::uint8_t family) {
  const auto& members = context_.library.families[family].members;
  const std::uint32_t at = tape().below(static_cast<std::uint32_t>(members.size()));
  return context_.library.callees[members[at]].name;
}

VersionWriter::Guard VersionWriter::fact_guard(const Env& env, VarIndex k) {
  const Variable& v = env.tree().vars[k];
  const Type& type = v.type;
  Guard guard;
  const SimpleExpr x = env.slots[k].value;
  guard.variable = v.assigned || literal_kind(x) ? kNone : k;
  unsigned kind = tape().below(7);
  while (!type.kinds.has(static_cast<Kind>(kind))) kind = (kind + 1) % kTypes;
  guard.kind = static_cast<Kind>(kind);
  guard.test = KindTest{x, guard.kind};
  if (!may_be_literal(env.tree(), k) || type.may_be(Kind::Float) || !tape().chance(1, 2))
    return guard;
  if (const Literal* known = env.tree().constant(k))
    guard.equals = *known;
  else if (guard.kind == Kind::Int)
    guard.equals = Literal(static_cast<std::int64_t>(tape().below(4)));
  else if (guard.kind == Kind::Bool)
    guard.equals = Literal(tape().chance(1, 2));
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

// Anything: also what is false, or has no value, which is false as well.
Expr VersionWriter::some_test(const Env& env) {
  const auto operand = [&]() -> SimpleExpr {
    const auto n = static_cast<std::uint32_t>(env.scope.size());
    if (n > 0 && tape().chance(3, 4)) return env.slots[env.scope[tape().below(n)]].value;
    return static_cast<std::int64_t>(tape().below(3));
  };
  const SimpleExpr left = operand();
  switch (tape().below(5)) {
  case 0: return Binary{BinaryOp::Ne, left, operand()};
  case 1: return Binary{static_cast<BinaryOp>(tape().below(13)), left, operand()};
  case 2: return Unary{UnaryOp::Not, left};
  case 3:
    if (const auto* x = std::get_if<Var>(&left)) return Index{*x, operand()};
    return left;
  default: return left;
  }
}

VersionWriter::Guard VersionWriter::guard(const Env& env) {
  const auto n = static_cast<std::uint32_t>(env.scope.size());
  const std::uint32_t form = tape().below(8);
  if (form == 0 || n == 0) return {SimpleExpr(true)};
  if (form < 6) { // rather about what can be one thing or another
    const auto telling = [&](VarIndex k) {
      const Variable& v = env.tree().vars[k];
      return !v.assigned && (v.type.kinds.several() || k < env.tree().params());
    };
    VarIndex k = env.scope[tape().below(n)];
    for (int again = 0; again < 2 && !telling(k); ++again) k = env.scope[tape().below(n)];
    return fact_guard(env, k);
  }
  return {some_test(env)};
}

// A version for the states that satisfy its context, and specialized for them.
void VersionWriter::context() {
  Env env = own_env();
  for (VarIndex k = 0; k < function_.tree.params(); ++k) env.scope.push_back(k);
  do {
    const Guard g = guard(env);
    if (g.test == Expr(SimpleExpr(true))) continue;
    version_.out.when.push_back(g.test);
    if (g.variable != kNone && has(Feature::Facts))
      version_.facts.push_back({g.variable, g.equals, g.kind, kNone});
  } while (tape().chance(1, 3));
  if (version_.out.when.empty()) version_.out.when.emplace_back(SimpleExpr(true));
}

} // namespace sourir::random
