#include "sourir/passes/gvn.h"

#include "sourir/analysis/value_numbers.h"
#include "sourir/passes/rewrite.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/map_expressions.h"

namespace sourir {
namespace {

// That it has been computed says that computing it again does not fail.
std::optional<Var> holder(ValueNumbers& numbers, const ValueNumbers::State& state, const Expr& e) {
  if (std::holds_alternative<SimpleExpr>(e)) return std::nullopt;
  const auto n = numbers.number(state, e);
  if (!n) return std::nullopt;
  for (const auto& [x, number] : state)
    if (number == *n) return x;
  return std::nullopt;
}

void visit(VersionTask& task, ValueNumbers& numbers, Position at,
           const ValueNumbers::State& state) {
  const Instruction& instr = task.version.body[at].instr;
  if (exit_of(instr) != nullptr || std::holds_alternative<GuardHint>(instr) ||
      std::holds_alternative<Assert>(instr) || std::holds_alternative<Branch>(instr))
    return;
  if (const auto* const assign = std::get_if<Assign>(&instr)) {
    const ValueNumbers::Number* const has = state.find(assign->name);
    if (has != nullptr && numbers.number(state, assign->value) == *has) return task.edit.remove(at);
  }
  Instruction now = instr;
  map_expressions(now, [&](Expr& e) {
    if (const auto x = holder(numbers, state, e)) e = SimpleExpr(*x);
  });
  if (now != instr) task.edit.replace(at, std::move(now));
}

} // namespace

std::optional<PassResult> gvn(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    ValueNumbers numbers(task.version, task.function, task.facts.cfg(), task.facts.loops());
    numbers.replay(
        [&](Position at, const ValueNumbers::State& state) { visit(task, numbers, at, state); });
  });
}

} // namespace sourir
