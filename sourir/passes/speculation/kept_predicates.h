// What a version still expects when one of its predicates has failed. Internal to undo.
#pragma once

#include "sourir/analysis/version_analyses.h"

namespace sourir {

// The predicates of the version's exits that read the same values at `at` (an assume) as where they
// are tested, without the failing ones, in terms of the target of that assume's exit; those that
// the target has tested itself on its way to `there` are not among them.
std::vector<Expr> kept_predicates(VersionAnalyses& version, Position at,
                                  const std::vector<Expr>& failing, VersionAnalyses& target,
                                  Position there);

} // namespace sourir
