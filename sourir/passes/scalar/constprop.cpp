#include "sourir/passes/scalar/constprop.h"

#include "sourir/analysis/constants.h"
#include "sourir/analysis/guards.h"
#include "sourir/passes/core/arities.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/traverse.h"

#include <unordered_set>

namespace sourir {
namespace {

SimpleExpr simple(const Literal& literal) {
  return match(literal, [](const auto& l) { return SimpleExpr(l); });
}

std::optional<Literal> value_of(const Fact& fact) { return fact.equals; }

void fold_operand(SimpleExpr& operand, const Facts& facts) {
  if (!std::holds_alternative<Var>(operand)) return;
  if (const auto value = value_of(facts.about(operand))) operand = simple(*value);
}

void fold_operands(Expr& e, const Facts& facts) {
  match(
      e, [&](SimpleExpr& se) { fold_operand(se, facts); },
      [&](Unary& u) { fold_operand(u.operand, facts); },
      [&](Binary& b) { fold_operand(b.left, facts), fold_operand(b.right, facts); },
      [&](Index& i) { fold_operand(i.index, facts); }, [](Length&) {},
      [&](KindTest& t) { fold_operand(t.operand, facts); });
}

Expr folded(const Expr& e, const Facts& facts) {
  if (const auto value = value_of(evaluate(e, facts)); value && is_total(e, facts))
    return simple(*value);
  if (const auto* const binary = std::get_if<Binary>(&e))
    if (const auto operand = identity(*binary, facts)) return folded(*operand, facts);
  Expr result = e;
  fold_operands(result, facts);
  return result;
}

// A guard may fail: it counts as false then, so its value is all that matters.
std::vector<Expr> fold_guards(const std::vector<Expr>& guards, const Facts& before) {
  Facts facts = before;
  std::vector<Expr> left;
  for (const Expr& g : guards) {
    const auto value = value_of(evaluate(g, facts));
    if (value == Literal(true) && is_total(g, facts)) continue;
    left.push_back(folded(g, facts));
    Facts after = facts;
    if (learn(g, true, after)) facts = std::move(after);
  }
  return left;
}

Instruction fold(const Instruction& instr, const Facts& facts, Arities& arities) {
  if (std::holds_alternative<GuardHint>(instr)) return instr;
  if (const auto* const assume = std::get_if<Assume>(&instr)) {
    Assume result = *assume;
    result.guards = fold_guards(assume->guards, facts);
    map_expressions(result.exit, [&](Expr& e) { e = folded(e, facts); });
    return result;
  }
  Instruction result = instr;
  map_expressions(result, [&](Expr& e) { e = folded(e, facts); });
  if (auto* const call = std::get_if<Call>(&result)) {
    const auto& callee = std::get<Call>(instr).callee;
    const auto value = value_of(evaluate(call->callee, facts));
    const FunName* const name = value ? std::get_if<FunName>(&*value) : nullptr;
    if (value && (name == nullptr || !arities.fit(*name, call->arguments.size())))
      call->callee = callee;
  }
  return result;
}

// Whether some test of the version occurs twice, and it has branches.
bool tests_twice(const Version& version) {
  std::unordered_set<Expr, ExprHash> seen;
  const auto again = [&](const Expr& e) {
    return !std::holds_alternative<SimpleExpr>(e) && !seen.insert(normal(e).expr).second;
  };
  bool found = false, branches = false;
  for (const Stmt& stmt : version.body) {
    if (const auto* const branch = std::get_if<Branch>(&stmt.instr)) {
      found |= again(branch->condition);
      branches = true;
    } else if (const auto* const check = std::get_if<Assert>(&stmt.instr)) {
      found |= again(check->condition);
    } else if (const auto* const assume = std::get_if<Assume>(&stmt.instr)) {
      for (const Expr& g : assume->guards) found |= again(g);
    }
  }
  return found && branches;
}

// Decides branches by an assume, assert or branch on every path to them, where constants do not.
void decide_guarded_branches(VersionTask& task) {
  if (!tests_twice(task.version)) return;
  const Cfg& cfg = task.facts.cfg();
  AvailableGuards guards(task.version, cfg, nullptr);
  const auto solution = solve(cfg, guards);
  const auto& constants = task.facts.constants();
  for (const BlockId b : cfg.reverse_postorder()) {
    const Block& block = cfg[b];
    if (!solution[b.id] || !constants[b.id] || block.begin == block.end) continue;
    const Instruction* const last = task.edit.current(block.end - 1);
    const auto* const branch = last != nullptr ? std::get_if<Branch>(last) : nullptr;
    if (branch == nullptr || std::holds_alternative<SimpleExpr>(branch->condition)) continue;
    auto state = *solution[b.id];
    Facts facts = *constants[b.id];
    for (Position at = block.begin; at + 1 < block.end; ++at) {
      guards.transfer(state, at);
      task.facts.constants_problem().transfer(facts, at);
    }
    const Expr& condition = std::get<Branch>(task.version.body[block.end - 1].instr).condition;
    if (const auto value = guards.value(state, condition, facts))
      task.edit.replace(block.end - 1,
                        Branch{SimpleExpr(*value), branch->if_true, branch->if_false});
  }
}

} // namespace

std::optional<PassResult> constprop(const PassInput& input) {
  Arities arities(input.program);
  return rewrite_versions(input, [&](VersionTask& task) {
    const Cfg& cfg = task.facts.cfg();
    Constants& constants = task.facts.constants_problem();
    const auto& solution = task.facts.constants();
    for (const BlockId b : cfg.reverse_postorder()) {
      if (!solution[b.id]) continue;
      Facts facts = *solution[b.id];
      replay(cfg, constants, b, facts, [&](Position at, const Facts& before) {
        const Instruction& instr = task.version.body[at].instr;
        if (Instruction now = fold(instr, before, arities); now != instr)
          task.edit.replace(at, std::move(now));
      });
    }
    decide_guarded_branches(task);
  });
}

} // namespace sourir
