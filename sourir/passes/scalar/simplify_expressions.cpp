#include "sourir/passes/scalar/simplify_expressions.h"

#include "sourir/analysis/values.h"
#include "sourir/syntax/map_expressions.h"

#include <algorithm>

namespace sourir {
namespace {

const Unary* negation(const Expr* e, UnaryOp op) {
  const auto* const unary = e != nullptr ? std::get_if<Unary>(e) : nullptr;
  return unary != nullptr && unary->op == op ? unary : nullptr;
}

// What a variable or literal is known to be the negation of. It is a number or a boolean then, or
// that negation would have failed.
const SimpleExpr* negated(const SimpleExpr& e, UnaryOp op, const KnownValues& known) {
  const auto* const x = std::get_if<Var>(&e);
  const Unary* const value = x != nullptr ? negation(known.values.find(*x), op) : nullptr;
  return value != nullptr ? &value->operand : nullptr;
}

void simplify_negations(Expr& e, const KnownValues& known) {
  const auto* const unary = std::get_if<Unary>(&e);
  if (unary == nullptr) return;
  if (const SimpleExpr* const inner = negated(unary->operand, unary->op, known)) e = Expr(*inner);
}

// A branch on !x, or on a y that is !x, fails where one on x does.
void swap_arms(Branch& branch, const KnownValues& known) {
  const auto* const simple = std::get_if<SimpleExpr>(&branch.condition);
  const Unary* const outer = negation(&branch.condition, UnaryOp::Not);
  const SimpleExpr* const inner = simple != nullptr  ? negated(*simple, UnaryOp::Not, known)
                                  : outer != nullptr ? &outer->operand
                                                     : nullptr;
  if (inner == nullptr) return;
  branch.condition = Expr(SimpleExpr(*inner));
  std::swap(branch.if_true, branch.if_false);
}

void drop_needless_guards(std::vector<Expr>& guards) {
  std::vector<Expr> kept;
  for (Expr& g : guards)
    if (g != Expr(SimpleExpr(true)) && std::find(kept.begin(), kept.end(), g) == kept.end())
      kept.push_back(std::move(g));
  guards = std::move(kept);
}

Instruction simplified(const Instruction& instr, const KnownValues& known) {
  Instruction result = instr;
  map_expressions(result, [&](Expr& e) { simplify_negations(e, known); });
  if (auto* const branch = std::get_if<Branch>(&result)) swap_arms(*branch, known);
  if (auto* const assume = std::get_if<Assume>(&result)) drop_needless_guards(assume->guards);
  return result;
}

} // namespace

void simplify_expressions(VersionTask& task) {
  const Cfg& cfg = task.facts.cfg();
  ValuesAnalysis values(task.version);
  const auto solution = solve(cfg, values);
  for (const BlockId b : cfg.reverse_postorder()) {
    if (!solution[b.id]) continue;
    KnownValues state = *solution[b.id];
    replay(cfg, values, b, state, [&](Position at, const KnownValues& known) {
      const Instruction& instr = task.version.body[at].instr;
      if (Instruction now = simplified(instr, known); now != instr)
        task.edit.replace(at, std::move(now));
    });
  }
}

} // namespace sourir
