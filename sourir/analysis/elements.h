// What elements of arrays are known to hold: `a[i]` was stored or loaded, and neither the element
// nor a variable of what is known has changed since. That something is known about an element
// also says that its access does not fail.
#pragma once

#include "sourir/analysis/alias.h"
#include "sourir/analysis/guards.h"

namespace sourir {

struct Element {
  Var array;
  SimpleExpr index, value;
  friend bool operator==(const Element&, const Element&) = default;
};

struct ElementState {
  AliasState aliases;
  std::vector<Element> elements; // the oldest first

  const SimpleExpr* find(Var array, const SimpleExpr& index) const;
  // The value of a simple expression or a known element; empty: something else.
  std::optional<SimpleExpr> value(const Expr& e) const;
  bool join(const ElementState& other);
  friend bool operator==(const ElementState&, const ElementState&) = default;
};
// So many are remembered at a time, and of a new array.
inline constexpr std::size_t kMostElements = 64, kMostNewElements = 16;

class Elements {
public:
  using State = ElementState;
  static constexpr Direction kDirection = Direction::Forward;

  // Guards like `(a != b)` and `(i != j)` keep what a store does not hit.
  Elements(const Version& version, const Cfg& cfg, const Scopes& scopes,
           const ProgramEffects& effects);

  ElementState boundary(BlockId root) const { return {aliases_.boundary(root), {}}; }
  void transfer(ElementState& state, Position at) const;
  // The same for a store, as if it stood at the position.
  void store(ElementState& state, Position at, const ArrayUpdate& i) const;

private:
  using Different = std::vector<std::pair<SimpleExpr, SimpleExpr>>;
  void find_different();
  bool different(Position at, const SimpleExpr& a, const SimpleExpr& b) const;
  bool hits(const ElementState& state, Position at, const ArrayUpdate& store,
            const Element& element) const;
  void define(ElementState& state, Var x, const Expr* value) const;

  const Version& version_;
  const Cfg& cfg_;
  const ProgramEffects& effects_;
  Aliases aliases_;
  std::unordered_map<Position, Different> different_; // by store
};

} // namespace sourir
