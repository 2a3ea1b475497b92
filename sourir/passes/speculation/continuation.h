// Continuations: versions that start at an inner position of another one (dissertation 2.7,
// "jumping into optimized code" and "fine-grained deoptimization").
#pragma once

#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"

namespace sourir {

// A continuation of a version to be made.
struct ContinuationPlan {
  Position from; // in the version
  Label back;    // the label there: the target of its first assume
  VerName name;
  std::vector<Expr> expected; // what its first assume tests
};

struct MadeContinuation {
  Version version; // its entry label is `back`
  VersionOrigin origin;
};

// The part of the version that is reached from `from`, in normal form if the version is. Its exits
// target the same places of the version, like those of a fresh version, by `labels`. Empty: it
// would need too many copies of positions (for variables that are declared again), or the context
// of the version mentions a variable that is not in scope there.
std::optional<MadeContinuation> continuation_of(VersionAnalyses& source,
                                                const ContinuationPlan& plan, Names& names,
                                                TargetLabels& labels);

// The same, optimized by some classical passes for what its first assume tests.
MadeContinuation specialized(MadeContinuation continuation, FunName function,
                             const Program& program, Names& names);

} // namespace sourir
