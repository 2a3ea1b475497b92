// What the commands about campaigns have in common: plans from words, passes from plans, files.
#pragma once

#include "sourir/cli/campaign/campaign.h"
#include "sourir/fuzz/host/campaign_store.h"
#include "sourir/os/files.h"

#include <functional>
#include <optional>

namespace sourir {

// The plan with its transforms; or what is wrong with the words, which has been said, and status.
std::variant<CampaignTrials, int> campaign_of(const CampaignOptions& options);
// For a plan that was stored, which may be one of another version of this program. The problem.
std::variant<CampaignTrials, std::string> trials_of(const CampaignPlan& plan,
                                                    std::uint64_t exec_seconds = 60);

// --shard, or what Slurm says that this task of an array is; or what is wrong.
std::variant<Shard, std::string> shard_of(const std::string& text);

// "x.db" of shard 3/10: "x.db.3-of-10".
std::string shard_file(const std::string& db, Shard shard);

// Does it, and says what a database had against it.
int with_database(const std::function<int()>& work);

// Held while somebody writes to a database; no two processes do.
class CampaignLock {
public:
  // What is wrong with the file, or who has it.
  std::string take(const std::string& path);

private:
  OpenFile file_;
};

} // namespace sourir
