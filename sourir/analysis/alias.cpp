#include "sourir/analysis/alias.h"

#include <iterator>

namespace sourir {
namespace {

bool add_all(std::vector<Position>& to, const std::vector<Position>& from) {
  if (std::includes(to.begin(), to.end(), from.begin(), from.end())) return false;
  std::vector<Position> both;
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both));
  to = std::move(both);
  return true;
}

bool intersect(const std::vector<Position>& a, const std::vector<Position>& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) return true;
    ++(*x < *y ? x : y);
  }
  return false;
}

Pointer pointer_of(const AliasState& state, const Expr& e) {
  if (std::holds_alternative<Index>(e)) return {{}, true};
  const auto* const simple = std::get_if<SimpleExpr>(&e);
  const Var* const x = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
  if (x == nullptr) return {};
  const Pointer* const pointer = state.pointers.find(*x);
  return pointer != nullptr ? *pointer : Pointer{{}, true};
}

} // namespace

void escape(AliasState& state, const Expr& e) {
  const auto* const simple = std::get_if<SimpleExpr>(&e);
  const Var* const x = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
  const Pointer* const pointer = x != nullptr ? state.pointers.find(*x) : nullptr;
  if (pointer != nullptr) add_all(state.escaped, std::vector(pointer->sites));
}

bool AliasState::join(const AliasState& other) {
  std::vector<Position> crowded;
  bool changed = pointers.meet(other.pointers, [&](Pointer& mine, const Pointer& theirs) {
    add_all(mine.sites, theirs.sites);
    mine.elsewhere |= theirs.elsewhere;
    if (mine.sites.size() > kMostSites) {
      add_all(crowded, mine.sites);
      mine = {{}, true};
    }
    return true;
  });
  changed |= add_all(escaped, other.escaped);
  return add_all(escaped, crowded) || changed;
}

bool AliasState::shared(Var x) const {
  const Pointer* const p = pointers.find(x);
  return p == nullptr || p->elsewhere || intersect(p->sites, escaped);
}

bool AliasState::may_alias(Var a, Var b) const {
  const Pointer* const p = pointers.find(a);
  const Pointer* const q = pointers.find(b);
  if (a == b || p == nullptr || q == nullptr || intersect(p->sites, q->sites)) return true;
  return (p->elsewhere && shared(b)) || (q->elsewhere && shared(a));
}

AliasState Aliases::boundary(BlockId root) const {
  AliasState state;
  if (const auto& scope = scopes_[cfg_[root].begin])
    for (const Var x : *scope) state.pointers.set(x, {{}, true});
  return state;
}

void Aliases::transfer(AliasState& state, Position at) const {
  match(
      version_.body[at].instr,
      [&](const Decl& i) {
        state.pointers.set(i.name, i.value ? pointer_of(state, *i.value) : Pointer{});
      },
      [&](const Drop& i) { state.pointers.erase(i.name); },
      [&](const Assign& i) { state.pointers.set(i.name, pointer_of(state, i.value)); },
      [&](const ArrayDecl& i) { state.pointers.set(i.name, {{at}, false}); },
      [&](const ArrayDef& i) {
        for (const Expr& e : i.elements) escape(state, e);
        state.pointers.set(i.name, {{at}, false});
      },
      [&](const ArrayUpdate& i) { escape(state, i.value); }, [](const Branch&) {},
      [](const Goto&) {}, [](const Print&) {},
      [&](const Read& i) { state.pointers.set(i.name, {}); }, [](const Assert&) {},
      [&](const Call& i) {
        for (const Expr& e : i.arguments) escape(state, e);
        state.pointers.set(i.result, {{}, true});
      },
      [](const Return&) {}, [](const Stop&) {}, [](const Assume&) {}, [](const Anchor&) {},
      [](const GuardHint&) {});
}

bool may_write(const Call& call, const Effects& effects, Var x, const AliasState& state) {
  if (!state.shared(x)) return false;
  if (effects.writes_any) return true;
  for (std::size_t n = 0; n < effects.writes_parameter.size(); ++n) {
    if (!effects.writes_parameter[n]) continue;
    const auto* const simple = std::get_if<SimpleExpr>(&call.arguments[n]);
    const Var* const y = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
    if (y != nullptr ? state.may_alias(x, *y) : std::holds_alternative<Index>(call.arguments[n]))
      return true;
  }
  return false;
}

} // namespace sourir
