// Which variables may hold the same array: each variable's allocation sites, and which of these
// have escaped (into another array or a call), where anything that came from there may be one of
// them. Parameters and what is loaded or returned may alias one another.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/effects.h"
#include "sourir/analysis/var_map.h"
#include "sourir/syntax/scopes.h"

namespace sourir {

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
// Behind a place from which others reach the value of the expression.
void escape(AliasState& state, const Expr& e);
// A variable with more sites than this counts as one that may hold anything.
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

// Whether the call may store into the array that x holds; `state` is that behind the call.
bool may_write(const Call& call, const Effects& effects, Var x, const AliasState& state);

} // namespace sourir
