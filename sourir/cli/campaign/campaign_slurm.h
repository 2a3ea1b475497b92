// `campaign slurm`: a batch file for many hosts.
#pragma once

#include "sourir/cli/campaign/campaign.h"

namespace sourir {

struct CampaignSlurmOptions {
  CampaignOptions campaign;
  std::uint64_t shards = 10;
  std::string partition;
};
int run_campaign_slurm(const CampaignSlurmOptions& options);

} // namespace sourir
