// Exceptions of what a campaign tests, as errors and findings: the libraries under it throw and
// catch nothing.
#pragma once

#include "sourir/fuzz/campaign_case.h"

namespace sourir {

// The transforms and engines of the plan, where an exception is an error.
FuzzPlan caught(FuzzPlan plan);

// try_numbered_case(); an exception of the checker itself is a finding of the oracle "crash".
void try_numbered_case_caught(std::uint64_t index, const CampaignConfig& campaign,
                              BatchResult& result);

} // namespace sourir
