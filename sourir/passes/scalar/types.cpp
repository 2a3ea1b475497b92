#include "sourir/passes/scalar/types.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

// The outcome by types alone. Neither a test nor a comparison can fail.
std::optional<bool> decided(const Expr& e, const Facts& facts) {
  if (const auto* const test = std::get_if<KindTest>(&e)) {
    const TypeSet types = facts.about(test->operand).types;
    if (!types.has(test->kind)) return false;
    return types == TypeSet(test->kind) ? std::optional(true) : std::nullopt;
  }
  if (std::holds_alternative<ElementsTest>(e)) {
    const auto value = evaluate(e, facts).equals;
    return value ? std::optional(*value == Literal(true)) : std::nullopt;
  }
  const auto* const binary = std::get_if<Binary>(&e);
  if (binary == nullptr || (binary->op != BinaryOp::Eq && binary->op != BinaryOp::Ne))
    return std::nullopt;
  const TypeSet both = facts.about(binary->left).types & facts.about(binary->right).types;
  return both.empty() ? std::optional(binary->op == BinaryOp::Ne) : std::nullopt;
}

void fold(Expr& e, const Facts& facts) {
  if (const auto value = decided(e, facts)) e = SimpleExpr(*value);
}

// Guards are tested in order: each is folded under those before it.
void fold_guards(std::vector<Expr>& guards, Facts facts) {
  std::vector<Expr> left;
  for (Expr& g : guards) {
    const auto value = decided(g, facts);
    Facts after = facts;
    if (learn(g, true, after)) facts = std::move(after);
    if (value != true) left.push_back(value ? Expr(SimpleExpr(false)) : std::move(g));
  }
  guards = std::move(left);
}

bool holds(const Instruction& instr) {
  const auto* const assertion = std::get_if<Assert>(&instr);
  return assertion != nullptr && assertion->condition == Expr(SimpleExpr(true));
}

Instruction folded(const Instruction& instr, const Facts& facts) {
  Instruction result = instr;
  if (auto* const assume = std::get_if<Assume>(&result)) {
    fold_guards(assume->guards, facts);
    map_expressions(assume->exit, [&](Expr& e) { fold(e, facts); });
  } else if (!std::holds_alternative<GuardHint>(instr)) {
    map_expressions(result, [&](Expr& e) { fold(e, facts); });
    // The callee stays: a literal there would make the program ill-formed for an error that may
    // happen at run time only.
    if (auto* const call = std::get_if<Call>(&result)) call->callee = std::get<Call>(instr).callee;
  }
  return result;
}

void decide_branches(VersionTask& task) {
  FactsAt facts(task.facts, true);
  for (Position at = 0; at < task.version.body.size(); ++at) {
    const auto* const branch = std::get_if<Branch>(&task.version.body[at].instr);
    const Facts* const before = branch != nullptr ? facts.before(at) : nullptr;
    if (before == nullptr) continue;
    Instruction now = folded(*branch, *before);
    if (now != task.version.body[at].instr) task.edit.replace(at, std::move(now));
  }
}

} // namespace

std::optional<PassResult> fold_types(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    decide_branches(task);
    const Cfg& cfg = task.facts.cfg();
    const auto& solution = task.facts.constants();
    for (const BlockId b : cfg.reverse_postorder()) {
      if (!solution[b.id]) continue;
      Facts facts = *solution[b.id];
      replay(cfg, task.facts.constants_problem(), b, facts, [&](Position at, const Facts& before) {
        const Instruction& instr = task.version.body[at].instr;
        if (std::holds_alternative<Branch>(instr)) return;
        Instruction now = folded(instr, before);
        if (now == instr) return;
        if (holds(now))
          task.edit.remove(at);
        else
          task.edit.replace(at, std::move(now));
      });
    }
  });
}

} // namespace sourir
