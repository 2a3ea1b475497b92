// The processes of a campaign: each takes a batch, tries its cases one after another and tells what
// came of them. A process that ends where it should not, or that does not come back from a case, is
// a finding; another one goes on after that case.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/host/case_clock.h"
#include "sourir/os/process.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <span>

namespace sourir {

// What a process is at, in memory that is shared with it.
struct WorkerNote {
  std::atomic<std::uint64_t> index{0};     // of the case
  std::atomic<std::uint32_t> transform{0}; // 1 + its number in FuzzPlan::transforms; 0: none
  CaseClock clock;                         // since the case was begun
  std::atomic<bool> begun{false};          // the process has come to its first case
};

struct PoolOptions {
  std::uint64_t jobs = 1;
  std::uint64_t case_seconds = 60; // that a case may take: more is "hang"
};

class CampaignPool {
public:
  CampaignPool(CampaignConfig campaign, PoolOptions options);
  ~CampaignPool();
  CampaignPool(const CampaignPool&) = delete;
  CampaignPool& operator=(const CampaignPool&) = delete;

  bool has_room() const;
  bool idle() const;
  void start(std::uint64_t batch);
  // Waits, not for long, and takes what processes say: batches that are complete by now.
  std::vector<BatchResult> poll();
  // Cases of batches that are not complete, and findings in them.
  std::uint64_t running_programs() const;
  std::uint64_t running_findings() const;
  void kill_all();

private:
  struct Job {
    BatchResult result;
    std::uint64_t next = 0, end = 0; // cases before `next` are in the result, or in `lost`
    std::set<std::uint64_t> lost;    // cases whose process did not come back
    std::uint64_t last_killed = 0, kills = 0;
    bool hangs = false; // it was killed for that
    std::string said;   // not yet a whole line
    WorkerNote* note = nullptr;
    Process process;

    void take(CampaignFinding finding);
  };

  Process start_process(const Job& job) const;
  void work(const BatchResult& so_far, std::uint64_t from, std::uint64_t end,
            const std::set<std::uint64_t>& lost, WorkerNote& note, int out) const;
  void take_parts(Job& job);
  // False: the batch is complete.
  bool went_on(Job& job);
  void lose(Job& job, const ProcessEnd& end, const std::string& errors);
  std::string transform_at(const WorkerNote& note) const;
  void watch_the_clock(Job& job) const;

  CampaignConfig campaign_;
  PoolOptions options_;
  std::span<WorkerNote> notes_; // one for each job
  std::vector<std::unique_ptr<Job>> jobs_;
};

} // namespace sourir
