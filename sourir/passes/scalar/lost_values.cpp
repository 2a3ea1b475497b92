#include "sourir/passes/scalar/lost_values.h"

#include "sourir/analysis/liveness.h"
#include "sourir/analysis/mutant.h"
#include "sourir/syntax/metadata_names.h"
#include "sourir/syntax/successors.h"

namespace sourir {
namespace {

bool mentions(const std::optional<Expr>& e, Var x) {
  bool found = false;
  if (e) for_each_variable(*e, [&](Var y) { found |= x == y; });
  return found;
}

// The output's x changes.
void forget(LostValues& state, Var x) {
  std::vector<Var> gone;
  for (const auto& entry : state.lost)
    if (mentions(entry.fact, x)) gone.push_back(entry.name);
  for (const Var y : gone) state.lost.set(y, std::nullopt);
}

// The value of the removed definition; heap reads are not repeated later.
std::optional<Expr> value_of(const Instruction& instr) {
  std::optional<Expr> value;
  if (const auto* const decl = std::get_if<Decl>(&instr))
    value = decl->value ? *decl->value : Expr(SimpleExpr(Nil{}));
  if (const auto* const assign = std::get_if<Assign>(&instr)) value = assign->value;
  if (value && std::holds_alternative<Index>(*value)) value.reset();
  return value;
}

std::optional<Expr> in_output(const std::optional<Expr>& value, const LostValues& state) {
  if (!value) return std::nullopt;
  Substitution values;
  bool known = true;
  for_each_variable(*value, [&](Var y) {
    const auto* const lost = state.lost.find(y);
    if (lost == nullptr) return;
    known &= lost->has_value();
    if (*lost) values.insert_or_assign(y, **lost);
  });
  return known ? substitute(*value, values) : std::nullopt;
}

bool same_value(const Instruction& instr) {
  const auto* const assign = std::get_if<Assign>(&instr);
  return assign != nullptr && assign->value == Expr(SimpleExpr(assign->name));
}

} // namespace

bool LostValues::join(const LostValues& other) {
  bool changed = false;
  std::vector<Var> gone, taken; // taken: by the seeded bug
  for (const auto& entry : lost)
    if (const auto* const theirs = other.lost.find(entry.name);
        entry.fact && (theirs == nullptr ? !mutant(61) : *theirs != entry.fact))
      gone.push_back(entry.name);
  for (const auto& entry : other.lost)
    if (lost.find(entry.name) == nullptr) (mutant(61) ? taken : gone).push_back(entry.name);
  for (const Var x : gone) {
    lost.set(x, std::nullopt);
    changed = true;
  }
  for (const Var x : taken) {
    lost.set(x, *other.lost.find(x));
    changed = true;
  }
  return changed;
}

void LostAnalysis::transfer(LostValues& state, Position at) const {
  const Instruction& before = edit_.version().body[at].instr;
  const Instruction* const now = edit_.current(at);
  if (const Var* const dropped = scope_effect(before).drops) {
    state.lost.erase(*dropped);
    forget(state, *dropped);
    return;
  }
  const Var* const x = defined_by(before);
  if (x == nullptr || (now == nullptr && same_value(before))) return;
  const bool lost = now == nullptr || *now != before;
  const auto value = lost ? in_output(value_of(before), state) : std::nullopt;
  if (now != nullptr) forget(state, *x);
  if (!lost)
    state.lost.erase(*x);
  else
    state.lost.set(*x, now != nullptr && mentions(value, *x) ? std::nullopt : value);
}

void record_lost_values(const Cfg& cfg, VersionEdit& edit) {
  LostAnalysis analysis(edit);
  const auto solution = solve(cfg, analysis);
  for (const BlockId b : cfg.reverse_postorder()) {
    LostValues state = *solution[b.id];
    replay(cfg, analysis, b, state, [&](Position at, const LostValues& known) {
      for (const auto& entry : known.lost) edit.lose(at, entry.name, entry.fact);
    });
    if (cfg[b].begin == edit.version().body.size()) // the end
      for (const auto& entry : state.lost) edit.lose(cfg[b].end, entry.name, entry.fact);
  }
}

} // namespace sourir
