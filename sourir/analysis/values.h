// Which expressions over variables a variable is known to equal: `x` was set to `e`, and neither x
// nor the variables of e have changed since. No expression reads the heap. For copy propagation and
// for rebuilding values in varmaps instead of keeping them.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/var_map.h"
#include "sourir/syntax/expr.h"

namespace sourir {

struct KnownValues {
  VarMap<Expr> values;

  // The variable or literal that it was copied from; itself where nothing is known.
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
