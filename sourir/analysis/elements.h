// Known elements of arrays: `a[i]` was stored or loaded, and neither the element nor a variable of
// the known value has changed since. An access of a known element does not fail.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/effects.h"
#include "sourir/analysis/guards.h"
#include "sourir/analysis/var_map.h"
#include "sourir/syntax/scopes.h"

namespace sourir {

// Which variables may hold the same array: each variable's allocation sites, and which of these
// have escaped (into another array or a call), where anything that came from there may be one of
// them. Parameters and what is loaded or returned may alias one another.
//
// The arrays that a variable may hold: those made at the sites (ascending), or if `elsewhere` any
// that have escaped or were there before.
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
  // An array that others can reach.
  bool shared(Var x) const;
  friend bool operator==(const AliasState&, const AliasState&) = default;
};
// After a place from which others reach the value of the expression.
void escape(AliasState& state, const Expr& e);
// A variable with more sites may hold any array.
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

// Whether the call may store into the array that x holds; `state` is that after the call.
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
// At most so many elements are known at a time, and of a new array.
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
