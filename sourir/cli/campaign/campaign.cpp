#include "sourir/cli/campaign/campaign.h"

#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/fuzz/host/campaign_files.h"
#include "sourir/fuzz/host/campaign_run.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/syntax/diagnostics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <thread>

namespace sourir {
namespace {

// The progress of a campaign on standard error: a bar on a terminal, otherwise a line a minute.
class CampaignProgress {
public:
  // `there`: programs whose results are stored already.
  CampaignProgress(std::uint64_t total, std::uint64_t there);
  ~CampaignProgress() { clear(); }
  CampaignProgress(const CampaignProgress&) = delete;
  CampaignProgress& operator=(const CampaignProgress&) = delete;

  void show(std::uint64_t programs, std::uint64_t findings);
  // Removes the bar, so that messages can be shown.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t total_, there_;
  Clock::time_point begin_ = Clock::now(), shown_at_;
  bool terminal_, shown_ = false;
};

constexpr std::uint64_t kBar = 24;

std::string duration(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds);
  if (s >= 36'000'000) return "years";
  if (s >= 3'600) return fmt::format("{}:{:02}:{:02}", s / 3'600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

CampaignProgress::CampaignProgress(std::uint64_t total, std::uint64_t there)
    : total_(total), there_(there), shown_at_(begin_), terminal_(isatty(STDERR_FILENO) != 0) {}

void CampaignProgress::show(std::uint64_t programs, std::uint64_t findings) {
  using std::chrono::milliseconds;
  const auto now = Clock::now();
  if (now - shown_at_ < (terminal_ ? milliseconds(200) : milliseconds(60'000))) return;
  shown_at_ = now;
  const std::chrono::duration<double> took = now - begin_;
  const double rate = static_cast<double>(programs - std::min(programs, there_)) / took.count();
  std::string text = fmt::format(
      "{} of {} programs, {:.0f} a second, {} left, {}", grouped(programs), grouped(total_), rate,
      rate > 0 ? duration(static_cast<double>(total_ - programs) / rate) : "?",
      counted(findings, "counterexample"));
  if (!terminal_) return say(text + "\n");
  const std::uint64_t full = total_ == 0 ? kBar : programs * kBar / total_;
  say(fmt::format("\r[{:<{}}] {}\033[K", std::string(full, '#'), kBar, text));
  shown_ = true;
}

void CampaignProgress::clear() {
  if (shown_) say("\r\033[K");
  shown_ = false;
}

constexpr std::uint64_t kMostJobs = 1'024;

CampaignRunOptions run_options(const CampaignOptions& o) {
  const std::uint64_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  return {.pool = {.jobs = o.jobs == 0 ? cores : o.jobs, .case_seconds = o.case_seconds},
          .seconds = o.seconds};
}

bool show_progress(CampaignRun& run) {
  CampaignProgress bar(run.total(), run.programs());
  return run.run(
      [&](std::uint64_t programs, std::uint64_t findings) { bar.show(programs, findings); });
}

void say_unwritten(const std::string& problem) { say_error(problem + " (it is in the database)"); }

// The databases of incomplete and of complete results, and the folder for failures.
struct Places {
  std::string work, finally, failures;
};

Places places(const CampaignOptions& o, Shard shard) {
  const std::string finally = o.db.empty() ? ":memory:" : shard_file(o.db, shard);
  std::string failures = o.failures;
  if (failures.empty() && !o.db.empty()) failures = o.db + ".failures";
  return {shard.whole() ? finally : finally + ".part", finally, failures};
}

int show(CampaignStore& store, bool json) {
  const CampaignSummary summary = store.summary();
  standard_output().write(json ? json_text(campaign_json(summary)) : campaign_text(summary));
  return campaign_status(summary);
}

// Renames the database of a complete shard to its final name. Returns the error, or nothing.
std::string finish_shard(const Places& where) {
  std::error_code error;
  if (where.work != where.finally) std::filesystem::rename(where.work, where.finally, error);
  return error ? fmt::format("cannot write '{}': {}", where.finally, error.message()) : "";
}

int run_there(const CampaignOptions& o, const CampaignConfig& campaign, Shard shard) {
  const Places where = places(o, shard);
  std::error_code ignored;
  if (where.work != where.finally && std::filesystem::exists(where.finally, ignored)) {
    CampaignStore store(where.finally, campaign.plan, shard);
    say(fmt::format("'{}' is complete already\n", where.finally));
    return show(store, o.json);
  }
  CampaignLock lock; // lives longer than the database: see close() in fcntl(2), "advisory locks"
  if (where.work != ":memory:")
    if (const std::string problem = lock.take(where.work); !problem.empty())
      return say_error(problem), exit_status::kUnwritable;
  int status = exit_status::kFine;
  bool complete = false;
  {
    CampaignStore store(where.work, campaign.plan, shard);
    watch_interrupts();
    FailureFolder failures(where.failures, say_unwritten);
    CampaignRun run(campaign, store, failures, run_options(o));
    complete = show_progress(run);
    FailureFolder(where.failures, say_unwritten).bring_up_to_date(store);
    status = show(store, o.json);
    if (!complete)
      say(fmt::format("stopped: {} of {} programs are {}\n", grouped(run.programs()),
                      grouped(run.total()),
                      o.db.empty() ? "done (--db FILE keeps them)"
                                   : "stored; the same command continues after them"));
  }
  if (complete)
    if (const std::string problem = finish_shard(where); !problem.empty())
      return say_error(problem), exit_status::kUnwritable;
  return interrupted() ? exit_status::kInterrupted : status;
}

} // namespace

int run_campaign(const CampaignOptions& options) {
  if (options.jobs > kMostJobs)
    return usage_error("campaign", fmt::format("--jobs is at most {}", kMostJobs));
  const auto shard = shard_of(options.shard);
  if (!shard) return usage_error("campaign", "--shard: " + shard.error().message);
  if (!shard->whole() && options.db.empty())
    return usage_error("campaign", "a shard needs --db FILE, the same for all of them");
  auto campaign = campaign_of(options);
  if (const int* const status = std::get_if<int>(&campaign)) return *status;
  return with_database(
      [&] { return run_there(options, std::get<CampaignConfig>(campaign), *shard); });
}

int run_campaign_report(const CampaignReportOptions& options) {
  if (options.db.empty()) return usage_error("campaign report", "--db FILE is missing");
  return with_database([&] {
    CampaignStore store(options.db);
    if (options.html.empty()) return show(store, options.json);
    const CampaignSummary summary = store.summary();
    const std::string page = campaign_html(summary);
    if (const std::string problem = replace_file(options.html, page); !problem.empty())
      return say_error(problem), exit_status::kUnwritable;
    return campaign_status(summary);
  });
}

// --- `campaign merge`: the union of databases ----------------------------------------------------

int run_campaign_merge(const CampaignMergeOptions& options) {
  return with_database([&] {
    const auto summary = merge_campaigns(options.out, options.in);
    if (!summary) return say_error(summary.error().message), exit_status::kUnwritable;
    standard_output().write(fmt::format("{} of {} batches, {} programs, {}\n", summary->batches,
                                        summary->expected, grouped(summary->programs()),
                                        counted(summary->counterexamples(), "counterexample")));
    return summary->complete() ? exit_status::kFine : exit_status::kInconclusive;
  });
}

} // namespace sourir
