// The optimizer of the tiers: from feedback to an optimized version of the running program. The
// native tier may not include the passes (ARCHITECTURE.md, the include table): who starts an engine
// passes an optimizer.
// Threads: of the compiler, one job at a time, with the lock of the names held.
#pragma once

#include "native/runtime/optimized_version.h"
#include "sourir/syntax/feedback.h"

#include <functional>
#include <span>

namespace sourir::native {

struct OptimizerRequest {
  const Program& program;        // the function and what it needs: part_for(), perhaps without main
  const Program& running;        // the whole program, without an outlined loop
  FunName function;              // the function whose active version is to be optimized
  std::span<const Expr> context; // of the calls that the optimized version is for; none: all
  const Feedback& feedback;      // on places of `program`, also of other functions
  Names& names;
  bool running_loop = false; // the function is the rest of one, from a loop header on
};

struct OptimizedProgram {
  Program program; // versions of the request are unchanged but for labels
  StateMap map;    // to the request's program
};

// The result has another active version of the function. Empty: there is no better one.
using Optimizer = std::function<std::optional<OptimizedProgram>(const OptimizerRequest&)>;

// The type feedback of the positions of a version of the running program; empty: it has not run.
using SitesOf = std::function<std::span<const SiteFeedback>(const ResolvedVersion&)>;

// An optimized version of the function, for calls of the context. Null: the optimizer has none.
std::unique_ptr<OptimizedVersion> optimize_version(const LinkedProgram& running, FunName function,
                                                   std::span<const Expr> context,
                                                   const Feedback& feedback,
                                                   const SitesOf& sites_of,
                                                   const Optimizer& optimizer, Names& names);

// A frame of an activation, or of a stack of them.
struct RestFrame {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  Slot result = 0; // outer frames: that waits for the result of the frame before
};

// An optimized version of the rest of an activation in these frames, the innermost first, outlined
// (outlined_loop.h): of a loop, or of what follows an exit. Its parameters come first among its
// slots: the variables in scope, by frame. The rest of a frame is inlined into that of its caller.
// `types`: of the variables of each frame, by slot; Unbound: not known. Null: a frame cannot be
// outlined or not be inlined, or the optimizer has none.
std::unique_ptr<OptimizedVersion>
optimize_rest(const LinkedProgram& running, std::span<const RestFrame> frames,
              const Feedback& feedback, std::span<const std::vector<Tag>> types,
              const SitesOf& sites_of, const Optimizer& optimizer, Names& names);

} // namespace sourir::native
