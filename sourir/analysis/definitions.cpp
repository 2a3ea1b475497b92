#include "sourir/analysis/definitions.h"

#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {
namespace {

template <class Predicate>
bool all_variables(const Expr& e, Predicate&& holds) {
  bool all = true;
  for_each_name(e, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
    if (use.role == NameRole::Use) all = all && holds(Var{use.id});
  });
  return all;
}

} // namespace

Definitions::Definitions(VersionAnalyses& facts)
    : version_(facts.version()), states_(facts.cfg().blocks().size()), ends_(states_.size()),
      known_(states_.size()) {
  const Cfg& cfg = facts.cfg();
  bool changed = true;
  while (changed) {
    changed = false;
    for (const BlockId b : cfg.reverse_postorder()) {
      State state = cfg[b].root ? entering(cfg, facts.scopes(), b) : joined(cfg, b);
      if (known_[b.id] != 0 && state == states_[b.id]) continue;
      states_[b.id] = state;
      for (Position at = cfg[b].begin; at < cfg[b].end; ++at) transfer(state, at);
      changed |= known_[b.id] == 0 || ends_[b.id] != state;
      ends_[b.id] = std::move(state);
      known_[b.id] = 1;
    }
  }
}

Definitions::State Definitions::entering(const Cfg& cfg, const Scopes& scopes, BlockId b) const {
  State state;
  state.heap = {b.id, true};
  if (const auto& scope = scopes[cfg[b].begin])
    for (const Var x : *scope) state.variables.set(x, {b.id, true});
  return state;
}

// A block stays the definition of a variable once it is one, hence the iteration terminates.
Definitions::State Definitions::joined(const Cfg& cfg, BlockId b) const {
  const Id here{b.id, true};
  const State& before = states_[b.id];
  std::optional<State> state;
  const auto meet = [&](Id& mine, const Id& other) {
    if (!(mine == other)) mine = here;
    return true;
  };
  for (const BlockId p : cfg[b].predecessors) {
    if (known_[p.id] == 0) continue;
    if (!state) {
      state = ends_[p.id];
    } else {
      state->variables.meet(ends_[p.id].variables, meet);
      meet(state->heap, ends_[p.id].heap);
    }
  }
  if (known_[b.id] == 0) return *state;
  if (before.heap == here) state->heap = here;
  for (const auto& [name, id] : before.variables)
    if (id == here && state->variables.find(name) != nullptr) state->variables.set(name, here);
  return *state;
}

void Definitions::transfer(State& state, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  const ScopeEffect scope = scope_effect(instr);
  if (scope.drops != nullptr) state.variables.erase(*scope.drops);
  if (scope.declares != nullptr) state.variables.set(*scope.declares, {at, false});
  if (const auto* const assign = std::get_if<Assign>(&instr))
    state.variables.set(assign->name, {at, false});
  if (const auto* const read = std::get_if<Read>(&instr))
    state.variables.set(read->name, {at, false});
  if (std::holds_alternative<ArrayUpdate>(instr) || std::holds_alternative<Call>(instr))
    state.heap = {at, false};
}

bool reads_the_same(const Expr& e, const Definitions::State& a, const Definitions::State& b) {
  if (reads_elements(e) && !(a.heap == b.heap)) return false;
  return all_variables(e, [&](Var x) {
    const auto *const here = a.variables.find(x), *const there = b.variables.find(x);
    return here != nullptr && there != nullptr && *here == *there;
  });
}

bool in_scope(const Expr& e, const Definitions::State& state) {
  return all_variables(e, [&](Var x) { return state.variables.find(x) != nullptr; });
}

} // namespace sourir
