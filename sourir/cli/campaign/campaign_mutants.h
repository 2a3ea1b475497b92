// `campaign mutants`: which seeded bugs are found, by whom, how soon and how small.
#pragma once

#include "sourir/cli/campaign/campaign.h"

namespace sourir {

struct MutantsOptions {
  CampaignOptions campaign; // programs, seconds: at most so many for each; `passes` empty: its own
  std::vector<std::string> numbers; // empty: all
  bool json = false;
};
int run_campaign_mutants(const MutantsOptions& options);

} // namespace sourir
