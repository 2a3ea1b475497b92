// The inference of recorded types from other types. Threads: any.
#pragma once

#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"

#include <span>
#include <vector>

namespace sourir::native {

// Narrows the types recorded at operators and copies to those that are possible for the types
// recorded where their operands are bound: samples renew the types of some values, those of values
// computed from them may be stale, too (paper 6; thesis 4.4). sites: one a position. parameters:
// the types of arguments; empty: any.
void infer_types(const ResolvedVersion& code, std::span<const TypeSet> parameters,
                 std::vector<SiteFeedback>& sites);

} // namespace sourir::native
