// What the commands about campaigns have in common: plans from words, passes from plans, files.
#pragma once

#include "sourir/cli/campaign/campaign.h"
#include "sourir/fuzz/host/campaign_store.h"
#include "sourir/syntax/result.h"

#include <functional>
#include <optional>

namespace sourir {

// The plan with its transforms; or what is wrong with the words, which has been said, and status.
std::variant<CampaignConfig, int> campaign_of(const CampaignOptions& options);
// For a plan that was stored, which may be one of another version of this program. The problem.
Result<CampaignConfig> config_of(const CampaignPlan& plan, std::uint64_t exec_seconds = 60);

// --shard, or what Slurm says that this task of an array is; or what is wrong.
Result<Shard> shard_of(const std::string& text);

// Does it, and says what a database had against it.
int with_database(const std::function<int()>& work);

} // namespace sourir
