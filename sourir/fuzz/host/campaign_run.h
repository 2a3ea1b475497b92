// The run of a campaign, or of one shard of it: batches of cases in a pool of processes, whose
// results are stored as they arrive; the folder of replay files. Used by one thread.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/host/campaign_store.h"
#include "sourir/fuzz/host/case_clock.h"
#include "sourir/os/process.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>

namespace sourir {

// The progress of a process, in memory that is shared with it.
struct WorkerRecord {
  std::atomic<std::uint64_t> index{0};     // of the case
  std::atomic<std::uint32_t> transform{0}; // 1 + its number in FuzzPlan::transforms; 0: none
  CaseClock clock;                         // since the case was begun
  std::atomic<bool> begun{false};          // the process has reached its first case
};

struct PoolOptions {
  std::uint64_t jobs = 1;
  std::uint64_t case_seconds = 60; // that a case may take: more is "hang"
};

// The processes of a campaign: each takes a batch, tries its cases one after another and reports
// the results. A process that crashes or hangs in a case is a finding; another one continues after
// that case.
class CampaignPool {
public:
  CampaignPool(CampaignConfig campaign, PoolOptions options);
  ~CampaignPool();
  CampaignPool(const CampaignPool&) = delete;
  CampaignPool& operator=(const CampaignPool&) = delete;

  bool has_room() const;
  bool idle() const;
  void start(std::uint64_t batch);
  // Waits up to 100 ms for reports of the processes; returns the batches that are complete.
  std::vector<BatchResult> poll();
  // Cases of batches that are not complete, and findings in them.
  std::uint64_t running_programs() const;
  std::uint64_t running_findings() const;
  void kill_all();

private:
  struct Job {
    BatchResult result;
    std::uint64_t next = 0, end = 0; // cases before `next` are in the result, or in `lost`
    std::set<std::uint64_t> lost;    // cases whose process crashed or hung
    std::uint64_t last_killed = 0, kills = 0;
    bool hangs = false; // it was killed for that
    std::string said;   // not yet a whole line
    WorkerRecord* record = nullptr;
    Process process;

    void take(CampaignFinding finding);
  };

  Process start_process(const Job& job) const;
  void work(const BatchResult& so_far, std::uint64_t from, std::uint64_t end,
            const std::set<std::uint64_t>& lost, WorkerRecord& record, int out) const;
  void take_parts(Job& job);
  // False: the batch is complete.
  bool restarted(Job& job);
  void lose(Job& job, const ProcessEnd& end, const std::string& errors);
  std::string transform_at(const WorkerRecord& record) const;
  void check_time(Job& job);

  CampaignConfig campaign_;
  PoolOptions options_;
  std::span<WorkerRecord> records_; // one for each job
  std::vector<std::unique_ptr<Job>> jobs_;
};

// A folder of replay files, one for each of the first counterexamples of each kind. The database
// holds all results; the folder is for people.
class FailureFolder {
public:
  // `path` empty: there is no folder. It is made when there is something to put into it. `problem`
  // is called once, with the first file that cannot be written; no more are tried then.
  FailureFolder(std::string path, std::function<void(const std::string&)> problem)
      : path_(std::move(path)), problem_(std::move(problem)) {}

  // Some of these, as they come.
  void add(const std::vector<CampaignFinding>& findings);
  // Adds the first of each kind that the store has, also those of earlier runs.
  void bring_up_to_date(CampaignStore& store);

private:
  void write(std::uint64_t index, const ReplayCase& replay);

  std::string path_;
  std::function<void(const std::string&)> problem_;
  std::map<std::string, std::uint64_t> written_; // of each kind
};

struct CampaignRunOptions {
  PoolOptions pool;
  std::uint64_t seconds = 0; // after which it stops; 0: no limit
};

class CampaignRun {
public:
  // `store` holds the campaign's plan and outlives the run; batches that it has are not done again.
  // `failures` receives the counterexamples. Throws NoProcess and what CampaignStore throws.
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
