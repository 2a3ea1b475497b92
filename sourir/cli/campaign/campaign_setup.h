// Common parts of the commands about campaigns: configurations from flags and from stored plans,
// shards, and errors of databases.
#pragma once

#include "sourir/cli/campaign/campaign.h"
#include "sourir/fuzz/host/campaign_store.h"
#include "sourir/syntax/result.h"

#include <functional>
#include <optional>

namespace sourir {

// The plan with its transforms; or the exit status after a usage error has been reported.
std::variant<CampaignConfig, int> campaign_of(const CampaignOptions& options);
// The same for a stored plan, which another version of sourir may have written.
Result<CampaignConfig> config_of(const CampaignPlan& plan, std::uint64_t exec_seconds = 60);

// The shard of --shard; without it that of this task of a Slurm array.
Result<Shard> shard_of(const std::string& text);

// Runs `work` and returns its exit status; reports errors of databases and processes.
int with_database(const std::function<int()>& work);

} // namespace sourir
