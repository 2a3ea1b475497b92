#include "sourir/passes/scalar/copyprop.h"

#include "sourir/analysis/values.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

// Variables only: literals are constprop's.
Var source(Var x, const KnownValues& known) {
  const SimpleExpr from = known.source(x);
  const Var* const y = std::get_if<Var>(&from);
  return y != nullptr ? *y : x;
}

Expr forwarded(const Expr& e, const KnownValues& known) {
  Substitution values;
  for_each_variable(e, [&](Var x) {
    if (const Var y = source(x, known); y != x) values.emplace(x, SimpleExpr(y));
  });
  return values.empty() ? e : substitute(e, values).value_or(e);
}

Instruction forwarded(const Instruction& instr, const KnownValues& known) {
  Instruction result = instr;
  if (std::holds_alternative<GuardHint>(instr)) return result;
  map_expressions(result, [&](Expr& e) { e = forwarded(e, known); });
  const auto array = [&](Var& x) { x = source(x, known); };
  if (auto* const store = std::get_if<ArrayUpdate>(&result)) array(store->array);
  if (Metadata* const exit = exit_of(result))
    for (Deferred& d : exit->with)
      if (auto* const store = std::get_if<ArrayUpdate>(&d.instr)) array(store->array);
  return result;
}

} // namespace

std::optional<PassResult> copyprop(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    const Cfg& cfg = task.facts.cfg();
    ValuesAnalysis analysis(task.version);
    const auto solution = solve(cfg, analysis);
    for (const BlockId b : cfg.reverse_postorder()) {
      KnownValues state = *solution[b.id];
      replay(cfg, analysis, b, state, [&](Position at, const KnownValues& known) {
        const Instruction& instr = task.version.body[at].instr;
        if (Instruction now = forwarded(instr, known); now != instr)
          task.edit.replace(at, std::move(now));
      });
    }
  });
}

} // namespace sourir
