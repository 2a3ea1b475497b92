// The database files of a campaign: their names by shard, the lock that keeps two processes from
// writing to one, and the union of several.
#pragma once

#include "sourir/fuzz/host/campaign_store.h"
#include "sourir/os/files.h"
#include "sourir/syntax/result.h"

namespace sourir {

// The shard that this process works on as a task of a Slurm job array (environment variables
// SLURM_ARRAY_TASK_*); the whole campaign where it is no such task. Error: the task is none of the
// array.
Result<Shard> shard_of_slurm_task();

// "x.db" of shard 3/10: "x.db.3-of-10".
std::string shard_file(const std::string& db, Shard shard);

// Held, with flock(2), for as long as it lives, by the only process that writes to a database.
class CampaignLock {
public:
  // Makes the file if there is none. Waits up to 5 s for another process that is ending. The
  // problem with the file, or who holds it; empty: it is held.
  std::string take(const std::string& path);

private:
  OpenFile file_;
};

// Makes `out` the union of the databases `in` and of `out` as it was. It gets its name when it is
// complete. Error: it cannot be written. Throws as CampaignStore does.
Result<CampaignSummary> merge_campaigns(const std::string& out, const std::vector<std::string>& in);

} // namespace sourir
