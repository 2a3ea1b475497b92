// The run of a campaign, or of one shard of it: batches of cases in a pool of processes, whose
// results go into a store as they come.
#pragma once

#include "sourir/fuzz/host/campaign_failures.h"
#include "sourir/fuzz/host/campaign_pool.h"
#include "sourir/fuzz/host/campaign_store.h"

#include <functional>

namespace sourir {

struct CampaignRunOptions {
  PoolOptions pool;
  std::uint64_t seconds = 0; // after which it stops; 0: no limit
};

class CampaignRun {
public:
  // `store` holds the campaign's plan and outlives the run; batches that it has are not done again.
  // `failures` gets the counterexamples. Throws NoProcess and what CampaignStore throws.
  CampaignRun(CampaignConfig campaign, CampaignStore& store, FailureFolder& failures,
              const CampaignRunOptions& options);

  // `progress` is called several times a second with the programs that are done, and the
  // counterexamples so far. False: it was stopped by the time limit or by Ctrl-C (interrupt.h).
  using Progress = std::function<void(std::uint64_t programs, std::uint64_t findings)>;
  bool run(const Progress& progress);

  std::uint64_t programs() const { return programs_; } // that are done and stored
  std::uint64_t total() const { return total_; }       // of the shard

private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t size_of(std::uint64_t batch) const { return plan_.end(batch) - plan_.first(batch); }
  // Whether `next_` is a batch that is still to be done.
  bool next_batch();
  bool out_of_time() const;
  void take(const BatchResult& result);

  CampaignRunOptions options_;
  CampaignPlan plan_;
  CampaignStore& store_;
  std::vector<bool> done_;
  FailureFolder& failures_;
  CampaignPool pool_;
  std::uint64_t next_ = 0, total_ = 0, programs_ = 0, findings_ = 0;
  Clock::time_point begin_ = Clock::now();
};

} // namespace sourir
