#include "sourir/analysis/values.h"

#include "sourir/analysis/mutant.h"
#include "sourir/syntax/mentions.h"

namespace sourir {
namespace {

void forget(KnownValues& state, Var x) {
  state.values.erase_if([&](const auto& entry) {
    return entry.name == x || (!mutant(49) && mentions(entry.fact, x));
  });
}

// `e` is evaluated before x changes.
void set(KnownValues& state, Var x, const Expr& e) {
  Expr value = e;
  if (const auto* const simple = std::get_if<SimpleExpr>(&e))
    if (const Var* const y = std::get_if<Var>(simple)) value = state.source(*y);
  if (value == Expr(SimpleExpr(x))) return; // nothing changes
  forget(state, x);
  if (!std::holds_alternative<Index>(value) && !mentions(value, x)) state.values.set(x, value);
}

} // namespace

SimpleExpr KnownValues::source(Var x) const {
  const Expr* const value = values.find(x);
  const auto* const simple = value != nullptr ? std::get_if<SimpleExpr>(value) : nullptr;
  return simple != nullptr ? *simple : SimpleExpr(x);
}

bool KnownValues::join(const KnownValues& other) {
  return values.meet(other.values, [](const Expr& a, const Expr& b) { return a == b; });
}

void ValuesAnalysis::transfer(KnownValues& state, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  if (const auto* const decl = std::get_if<Decl>(&instr))
    return set(state, decl->name, decl->value ? *decl->value : Expr(SimpleExpr(Nil{})));
  if (const auto* const assign = std::get_if<Assign>(&instr))
    return set(state, assign->name, assign->value);
  for_each_name(instr, [&](NameUse use) {
    if (use.role == NameRole::Declare || use.role == NameRole::Assign || use.role == NameRole::Drop)
      forget(state, Var{use.id});
  });
}

} // namespace sourir
