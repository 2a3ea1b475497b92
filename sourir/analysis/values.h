// Available copies and expressions: a variable x equals e if x was set to e, and neither x nor the
// variables of e have changed since. No expression reads elements of arrays. For copy propagation,
// and for varmaps that recompute values instead of keeping them alive.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/var_map.h"
#include "sourir/syntax/expr.h"

namespace sourir {

struct KnownValues {
  VarMap<Expr> values;

  // The variable or literal that x is a copy of; x itself if none is known.
  SimpleExpr source(Var x) const;
  bool join(const KnownValues& other);
  friend bool operator==(const KnownValues&, const KnownValues&) = default;
};

class ValuesAnalysis {
public:
  using State = KnownValues;
  static constexpr Direction kDirection = Direction::Forward;

  explicit ValuesAnalysis(const Version& version) : version_(version) {}
  KnownValues boundary(BlockId) const { return {}; }
  void transfer(KnownValues& state, Position at) const;

private:
  const Version& version_;
};

} // namespace sourir
