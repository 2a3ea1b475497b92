#include "sourir/analysis/values.h"

#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

// Copies of x become copies of the variable or literal that x is a copy of.
void forget(KnownValues& state, Var x) {
  if (const Expr* const value = state.values.find(x);
      value != nullptr && std::holds_alternative<SimpleExpr>(*value)) {
    const Expr was = *value;
    std::vector<Var> copies;
    for (const auto& entry : state.values)
      if (entry.fact == Expr(SimpleExpr(x))) copies.push_back(entry.name);
    for (const Var y : copies) state.values.set(y, was);
  }
  state.values.erase_if(
      [&](const auto& entry) { return entry.name == x || mentions(entry.fact, x); });
}

// `e` is evaluated before x changes. A copy is recorded as it is written: with the source of the
// copied variable instead, the states in a loop could alternate and in the end hold no copy.
void set(KnownValues& state, Var x, const Expr& e) {
  if (const auto* const simple = std::get_if<SimpleExpr>(&e))
    if (const Var* const y = std::get_if<Var>(simple); y != nullptr)
      if (*y == x || state.source(*y) == SimpleExpr(x)) return; // nothing changes
  forget(state, x);
  if (!std::holds_alternative<Index>(e) && !mentions(e, x)) state.values.set(x, e);
}

} // namespace

SimpleExpr KnownValues::source(Var x) const {
  SimpleExpr source = x;
  for (const Var* y = &x; y != nullptr; y = std::get_if<Var>(&source)) {
    const Expr* const value = values.find(*y);
    const auto* const simple = value != nullptr ? std::get_if<SimpleExpr>(value) : nullptr;
    if (simple == nullptr) break;
    source = *simple;
  }
  return source;
}

bool KnownValues::join(const KnownValues& other) {
  return values.meet(other.values, [](const Expr& a, const Expr& b) { return a == b; });
}

void ValuesAnalysis::transfer(KnownValues& state, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  // A variable that is declared was not in scope: no value mentions it.
  if (const auto* const decl = std::get_if<Decl>(&instr)) {
    const Expr value = decl->value ? *decl->value : Expr(SimpleExpr(Nil{}));
    if (!std::holds_alternative<Index>(value)) state.values.set(decl->name, value);
    return;
  }
  if (const auto* const assign = std::get_if<Assign>(&instr))
    return set(state, assign->name, assign->value);
  for_each_name(instr, [&](NameUse use) {
    if (use.role == NameRole::Assign || use.role == NameRole::Drop) forget(state, Var{use.id});
  });
}

} // namespace sourir
