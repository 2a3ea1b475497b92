#include "sourir/fuzz/host/campaign_run.h"

#include "sourir/os/interrupt.h"

namespace sourir {

CampaignRun::CampaignRun(CampaignConfig campaign, CampaignStore& store, FailureFolder& failures,
                         const CampaignRunOptions& options)
    : options_(options), plan_(campaign.plan), store_(store), done_(store.done()),
      failures_(failures), pool_(std::move(campaign), options.pool) {
  for (std::uint64_t b = 0; b < done_.size(); ++b)
    if (store.shard().has(b)) {
      total_ += size_of(b);
      if (done_[b]) programs_ += size_of(b);
    }
  findings_ = store.summary().counterexamples();
}

bool CampaignRun::run(const Progress& progress) {
  while (!interrupted() && !out_of_time()) {
    while (pool_.has_room() && next_batch()) pool_.start(next_++);
    if (pool_.idle()) return true;
    for (const BatchResult& result : pool_.poll()) take(result);
    progress(programs_ + pool_.running_programs(), findings_ + pool_.running_findings());
  }
  pool_.kill_all();
  return programs_ == total_;
}

bool CampaignRun::next_batch() {
  while (next_ < done_.size() && (done_[next_] || !store_.shard().has(next_))) ++next_;
  return next_ < done_.size();
}

bool CampaignRun::out_of_time() const {
  return options_.seconds > 0 && Clock::now() - begin_ > std::chrono::seconds(options_.seconds);
}

void CampaignRun::take(const BatchResult& result) {
  store_.add(result);
  programs_ += result.programs;
  findings_ += result.findings.size();
  failures_.add(result.findings);
}

} // namespace sourir
