// Whether an expression uses a variable.
#pragma once

#include "sourir/syntax/metadata_names.h"

namespace sourir {

inline bool mentions(const Expr& e, Var x) {
  bool found = false;
  for_each_variable(e, [&](Var y) { found |= x == y; });
  return found;
}

} // namespace sourir
