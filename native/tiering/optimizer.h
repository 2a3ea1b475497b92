// What the tiers want of the optimizer. The native tier may not know the passes (ARCHITECTURE.md,
// the include table): whoever starts an engine hands one in.
#pragma once

#include "sourir/syntax/feedback.h"
#include "sourir/syntax/state_map.h"

#include <functional>
#include <optional>

namespace sourir::native {

struct OptimizerRequest {
  const Program& program;   // the function and what it needs: part_for(), perhaps without main
  const Program& running;   // all that runs, without a function that was cut out
  FunName function;         // whose active version is to become better
  const Feedback& feedback; // on places of the program, also of other functions
  Names& names;
};

struct OptimizedProgram {
  Program program; // versions that were there are as before but for labels
  StateMap map;    // to the request's program
};

// With another active version of the function. Empty: nothing to gain. Called on a compiler thread,
// one at a time.
using Optimizer = std::function<std::optional<OptimizedProgram>(const OptimizerRequest&)>;

} // namespace sourir::native
