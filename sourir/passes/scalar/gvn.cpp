#include "sourir/passes/scalar/gvn.h"

#include "sourir/analysis/value_numbers.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

using Number = ValueNumbers::Number;

// A variable that holds the value with this number; empty: none. The value has been computed, so
// computing it again cannot fail.
std::optional<Var> holder(const ValueNumbers::State& state, std::optional<Number> n) {
  if (n)
    for (const auto& [x, number] : state)
      if (number == *n) return x;
  return std::nullopt;
}

// The expression whose value the instruction assigns; null: none.
const Expr* computed(const Instruction& instr) {
  if (const auto* const assign = std::get_if<Assign>(&instr)) return &assign->value;
  const auto* const decl = std::get_if<Decl>(&instr);
  return decl != nullptr && decl->value ? &*decl->value : nullptr;
}

void visit(VersionTask& task, ValueNumbers& numbers, Position at,
           const ValueNumbers::State& state) {
  const Instruction& instr = task.version.body[at].instr;
  if (exit_of(instr) != nullptr || std::holds_alternative<GuardHint>(instr) ||
      std::holds_alternative<Assert>(instr) || std::holds_alternative<Branch>(instr))
    return;
  const Expr* const kept = computed(instr);
  if (const auto* const assign = std::get_if<Assign>(&instr)) {
    const Number* const has = state.find(assign->name);
    if (has != nullptr && numbers.defined(at) == *has) return task.edit.remove(at);
  }
  Instruction now = instr;
  bool changed = false;
  map_expressions(now, [&](Expr& e) {
    if (std::holds_alternative<SimpleExpr>(e)) return;
    const auto n = kept != nullptr ? numbers.defined(at) : numbers.number(state, e);
    if (const auto x = holder(state, n)) e = SimpleExpr(*x), changed = true;
  });
  if (changed) task.edit.replace(at, std::move(now));
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
