// The optimizer as the tiers of a running program use it: O2 on one function, with what was seen
// of the program while it ran.
#pragma once

#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/state_map.h"

#include <optional>

namespace sourir {

// A pipeline of which every pass works on this function only, but for those that begin it and make
// speculative versions: they also work on the functions that feedback speaks of, which may be
// inlined.
Pipeline for_function(Pipeline pipeline, FunName function, const Feedback& feedback,
                      const Names& names);

// The program with a better active version of the function, and its map to `program`; empty:
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
