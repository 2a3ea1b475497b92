// Type feedback in terms of the language: what the baseline has recorded of a version, as
// predicates that passes may speculate on (docs/passes/speculate.md).
#pragma once

#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/feedback.h"

#include <span>

namespace sourir::native {

struct SpeculationOptions {
  bool kinds = true, branches = true, targets = true;
  std::uint32_t sure_branch = 100; // how often one must have gone the same way
};

// sites: one a position of `code` (more are ignored); parameters: the kinds with which calls
// entered. Branches that have only ever stayed in their loop are left out: it will end some day.
Feedback feedback_predicates(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
                             std::span<const TypeSet> parameters,
                             const SpeculationOptions& options);

} // namespace sourir::native
