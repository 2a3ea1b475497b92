#include "sourir/analysis/liveness.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

// Without the names that the exit's block makes: those are not variables of the version.
void add_exit_uses(const Metadata& exit, VarSet& uses) {
  VarSet made;
  for_each_name(exit, [&](NameUse use) {
    if (use.role == NameRole::WithDeclare) made.insert(Var{use.id});
  });
  for_each_name(exit, [&](NameUse use) {
    const bool value = use.role == NameRole::ExitUse || use.role == NameRole::WithUse ||
                       use.role == NameRole::WithUpdate;
    if (value && !made.contains(Var{use.id})) uses.insert(Var{use.id});
  });
}

} // namespace

void add_uses(const Instruction& instr, VarSet& uses) {
  if (std::holds_alternative<GuardHint>(instr)) return;
  for_each_name(instr, [&](NameUse use) {
    if (use.role == NameRole::Use || use.role == NameRole::Update) uses.insert(Var{use.id});
  });
  if (const Metadata* const exit = exit_of(instr)) add_exit_uses(*exit, uses);
}

const Var* defined_by(const Instruction& instr) {
  if (const auto* const assign = std::get_if<Assign>(&instr)) return &assign->name;
  if (const auto* const read = std::get_if<Read>(&instr)) return &read->name;
  return scope_effect(instr).declares;
}

void LiveVariables::step(State& live, const Instruction& instr) {
  if (const Var* const x = defined_by(instr)) live.erase(*x);
  if (const Var* const x = scope_effect(instr).drops) live.erase(*x);
  add_uses(instr, live);
}

VarSet Liveness::before(Position at) const {
  const BlockId b = cfg_.block_of(at);
  VarSet live = after(b);
  for (Position p = cfg_[b].end; p > at; --p) problem_.transfer(live, p - 1);
  return live;
}

} // namespace sourir
