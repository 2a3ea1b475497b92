#include "sourir/analysis/elements.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/successors.h"

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

namespace {

void add(ElementState& state, Element element) {
  if (state.elements.size() < kMostElements && state.find(element.array, element.index) == nullptr)
    state.elements.push_back(element);
}

void forget(ElementState& state, Var x) {
  const SimpleExpr name = x;
  std::erase_if(state.elements, [&](const Element& e) {
    return e.array == x || e.index == name || e.value == name;
  });
}

} // namespace

const SimpleExpr* ElementState::find(Var array, const SimpleExpr& index) const {
  for (const Element& e : elements)
    if (e.array == array && e.index == index) return &e.value;
  return nullptr;
}

std::optional<SimpleExpr> ElementState::value(const Expr& e) const {
  if (const auto* const simple = std::get_if<SimpleExpr>(&e)) return *simple;
  const auto* const load = std::get_if<Index>(&e);
  const SimpleExpr* const known = load != nullptr ? find(load->array, load->index) : nullptr;
  return known != nullptr ? std::optional(*known) : std::nullopt;
}

bool ElementState::join(const ElementState& other) {
  const std::size_t before = elements.size();
  std::erase_if(elements, [&](const Element& e) {
    return std::find(other.elements.begin(), other.elements.end(), e) == other.elements.end();
  });
  return aliases.join(other.aliases) || elements.size() != before;
}

Elements::Elements(const Version& version, const Cfg& cfg, const Scopes& scopes,
                   const ProgramEffects& effects)
    : version_(version), cfg_(cfg), effects_(effects), aliases_(version, cfg, scopes) {
  find_different();
}

void Elements::find_different() {
  AvailableGuards guards(version_, cfg_, &effects_);
  const auto solution = solve(cfg_, guards);
  for (const BlockId b : cfg_.reverse_postorder()) {
    AvailableGuards::State state = *solution[b.id];
    replay(cfg_, guards, b, state, [&](Position at, const AvailableGuards::State& before) {
      if (!std::holds_alternative<ArrayUpdate>(version_.body[at].instr)) return;
      for (const Predicate& p : guards.list(before))
        if (const auto* const e = std::get_if<Binary>(&p.expr);
            e != nullptr && e->op == BinaryOp::Eq && !p.holds)
          different_[at].emplace_back(e->left, e->right);
    });
  }
}

bool Elements::different(Position at, const SimpleExpr& a, const SimpleExpr& b) const {
  const auto found = different_.find(at);
  if (found == different_.end()) return false;
  for (const auto& [x, y] : found->second)
    if ((x == a && y == b) || (x == b && y == a)) return true;
  return false;
}

bool Elements::hits(const ElementState& state, Position at, const ArrayUpdate& store,
                    const Element& element) const {
  if (!state.aliases.may_alias(store.array, element.array)) return false;
  if (different(at, SimpleExpr(store.array), SimpleExpr(element.array))) return false;
  const auto* const index = std::get_if<SimpleExpr>(&store.index);
  if (index == nullptr) return true;
  const bool literals =
      !std::holds_alternative<Var>(*index) && !std::holds_alternative<Var>(element.index);
  return literals ? *index == element.index : !different(at, *index, element.index);
}

void Elements::store(ElementState& state, Position at, const ArrayUpdate& i) const {
  const auto value = state.value(i.value);
  std::erase_if(state.elements, [&](const Element& e) { return hits(state, at, i, e); });
  const auto* const index = std::get_if<SimpleExpr>(&i.index);
  if (index != nullptr && value) add(state, {i.array, *index, *value});
  escape(state.aliases, i.value);
}

void Elements::define(ElementState& state, Var x, const Expr* value) const {
  forget(state, x);
  const auto* const load = value != nullptr ? std::get_if<Index>(value) : nullptr;
  if (load != nullptr && load->array != x && load->index != SimpleExpr(x))
    add(state, {load->array, load->index, x});
}

void Elements::transfer(ElementState& state, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  if (const auto* const i = std::get_if<ArrayUpdate>(&instr)) return store(state, at, *i);
  if (const auto* const decl = std::get_if<Decl>(&instr)) {
    define(state, decl->name, decl->value ? &*decl->value : nullptr);
  } else if (const auto* const assign = std::get_if<Assign>(&instr)) {
    define(state, assign->name, &assign->value);
  } else if (const Var* const x = defined_by(instr)) {
    forget(state, *x);
  }
  if (const Var* const x = scope_effect(instr).drops) forget(state, *x);
  aliases_.transfer(state.aliases, at);
  if (const auto* const call = std::get_if<Call>(&instr)) {
    const Effects& effects = effects_.of(*call);
    std::erase_if(state.elements, [&](const Element& e) {
      return may_write(*call, effects, e.array, state.aliases);
    });
  }
  const auto fresh = [&](Var x, std::int64_t n, const SimpleExpr& value) {
    add(state, {x, SimpleExpr(n), value});
  };
  if (const auto* const array = std::get_if<ArrayDef>(&instr)) {
    for (std::size_t n = 0; n < std::min(array->elements.size(), kMostNewElements); ++n)
      if (const auto value = state.value(array->elements[n]))
        fresh(array->name, static_cast<std::int64_t>(n), *value);
  } else if (const auto* const empty = std::get_if<ArrayDecl>(&instr)) {
    const auto* const simple = std::get_if<SimpleExpr>(&empty->length);
    const auto* const length = simple != nullptr ? std::get_if<std::int64_t>(simple) : nullptr;
    const auto most = static_cast<std::int64_t>(kMostNewElements);
    for (std::int64_t n = 0; length != nullptr && n < std::min(*length, most); ++n)
      fresh(empty->name, n, SimpleExpr(Nil{}));
  }
}

} // namespace sourir
