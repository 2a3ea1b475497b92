// What the tiers want of the optimizer. The native tier may not know the passes (ARCHITECTURE.md,
// the include table): whoever starts an engine hands one in.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/feedback.h"

#include <functional>
#include <optional>

namespace sourir::native {

struct OptimizerRequest {
  const Program& program;
  FunName function;         // whose active version is to become better
  const Feedback& feedback; // on places of the program, also of other functions
  Names& names;
};

// The program with another active version of the function; versions that were there are as before
// but for labels. Empty: nothing to gain. Called on a compiler thread, one at a time.
using Optimizer = std::function<std::optional<Program>(const OptimizerRequest&)>;

} // namespace sourir::native
