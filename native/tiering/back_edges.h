// Which back edges of a loop need no polls, by what the baseline has counted. A loop with several
// of them often takes those of short ways, too (a scheduler that looks for a task to run), where a
// poll costs most. Threads: any.
#pragma once

#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"

#include <span>
#include <vector>

namespace sourir::native {

// Of each loop with several back edges: all but that of the longest iterations, calls counted most,
// among those that end an eighth of the iterations at least; ascending. None where no branch of the
// loop was counted. sites: by position of `code`, which is entered at `start`.
std::vector<Pc> back_edges_without_polls(const ResolvedVersion& code, Pc start,
                                         std::span<const SiteFeedback> sites);

} // namespace sourir::native
