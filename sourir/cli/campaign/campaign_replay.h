// Single cases, each tried in a process of its own: whatever it does, somebody can say what it was.
#pragma once

#include "sourir/cli/campaign/campaign.h"
#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/campaign_report.h"

namespace sourir {

struct CaseOutcome {
  std::string what;                            // "passed", "inconclusive", "counterexample"
  std::string oracle, transform, kind, report; // of a counterexample
};

// The replay must be one that case_of() takes. `seconds` 0: no limit.
CaseOutcome try_apart(const ReplayCase& replay, const CampaignTrials& campaign,
                      std::uint64_t seconds);
std::variant<ReplayCase, std::string> make_apart(const std::vector<std::uint32_t>& tape,
                                                 std::uint64_t index,
                                                 const CampaignTrials& campaign);

// A smaller case with the same kind of counterexample; at worst the same.
ReplayCase shrunk_case(const CampaignReplayOptions& options, const ReplayCase& replay,
                       const CampaignTrials& campaign, const CaseOutcome& outcome);

// Of its program.
std::uint64_t instructions_of(const ReplayCase& replay, const CampaignTrials& campaign);

} // namespace sourir
