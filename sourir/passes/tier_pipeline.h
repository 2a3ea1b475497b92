// The optimizer of the tiers of a running program: O2 on one function, with type feedback.
#pragma once

#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/state_map.h"

#include <optional>

namespace sourir {

// The pipeline with every pass restricted to this function, but for those at its beginning that
// make speculative versions: these also work on the functions that feedback mentions, which may be
// inlined.
Pipeline for_function(Pipeline pipeline, FunName function, const Feedback& feedback,
                      const Names& names);

// The program with an optimized active version of the function, and its map to `program`; empty:
// nothing changed, or a command failed. `hooks`: its command and after_pass.
struct OptimizedFunction {
  Program program;
  StateMap map;
};
std::optional<OptimizedFunction> optimize_function(const Program& program, FunName function,
                                                   const Feedback& feedback,
                                                   const Pipeline& pipeline, Names& names,
                                                   const PipelineHooks& hooks = {});

} // namespace sourir
