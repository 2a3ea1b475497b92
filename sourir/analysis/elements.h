// Aliases of arrays, and known elements: `a[i]` was stored or loaded, and neither the element nor a
// variable of the known value has changed since. An access of a known element does not fail.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/effects.h"
#include "sourir/analysis/guards.h"
#include "sourir/analysis/var_map.h"
#include "sourir/syntax/scopes.h"

namespace sourir {

// The arrays that a variable may hold: those allocated at the sites (ascending), and if `elsewhere`
// all that have escaped (into another array or a call) or that existed before. Parameters, loaded
// values and results of calls are `elsewhere`: they may alias one another.
struct Pointer {
  std::vector<Position> sites;
  bool elsewhere = false;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

struct AliasState {
  VarMap<Pointer> pointers;      // of all variables in scope
  std::vector<Position> escaped; // sites, ascending

  bool join(const AliasState& other);
  bool may_alias(Var a, Var b) const;
  // Whether x may hold an array that has escaped or existed before.
  bool shared(Var x) const;
  friend bool operator==(const AliasState&, const AliasState&) = default;
};
// The sites of the value of the expression escape.
void escape(AliasState& state, const Expr& e);
// The most sites of a variable; with more it may hold any array.
inline constexpr std::size_t kMostSites = 8;

class Aliases {
public:
  using State = AliasState;
  static constexpr Direction kDirection = Direction::Forward;

  Aliases(const Version& version, const Cfg& cfg, const Scopes& scopes)
      : version_(version), cfg_(cfg), scopes_(scopes) {}

  AliasState boundary(BlockId root) const;
  void transfer(AliasState& state, Position at) const;

private:
  const Version& version_;
  const Cfg& cfg_;
  const Scopes& scopes_;
};

// Whether the call may store into the array that x holds; `state`: after the call.
bool may_write(const Call& call, const Effects& effects, Var x, const AliasState& state);

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
// The most known elements of one state, and of one new array.
inline constexpr std::size_t kMostElements = 64, kMostNewElements = 16;

class Elements {
public:
  using State = ElementState;
  static constexpr Direction kDirection = Direction::Forward;

  // Elements that predicates like `(a != b)` and `(i != j)` separate from a store stay known.
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
