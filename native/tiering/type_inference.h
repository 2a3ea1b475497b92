// Kinds that follow from others: samples say what some values are now, and what was recorded of
// those that are computed from them may be as old (paper 6; thesis 4.4).
#pragma once

#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"

#include <span>
#include <vector>

namespace sourir::native {

// Takes away from the kinds that were seen at operators and copies what cannot be, if their
// operands have the kinds that were seen where these are bound. parameters: the kinds that calls
// come with; empty: nothing is known of them.
void infer_types(const ResolvedVersion& code, std::span<const TypeSet> parameters,
                 std::vector<SiteFeedback>& sites);

} // namespace sourir::native
