#include "sourir/fuzz/host/campaign_run.h"

#include "sourir/fuzz/campaign_form.h"
#include "sourir/fuzz/host/caught_exceptions.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>

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

namespace {

constexpr std::uint64_t kFilesOfKind = 10;

} // namespace

void FailureFolder::write(std::uint64_t index, const ReplayCase& replay) {
  const std::string file = fmt::format("{}/{}.json", path_, index);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return;
  std::filesystem::create_directories(path_, ignored);
  const std::string problem = replace_file(file, json_text(replay_json(replay)));
  if (problem.empty()) return;
  path_.clear();
  problem_(problem);
}

void FailureFolder::add(const std::vector<CampaignFinding>& findings) {
  for (const CampaignFinding& f : findings)
    if (!path_.empty() && f.kept && written_[finding_key(f)]++ < kFilesOfKind)
      write(f.index, *f.kept);
}

void FailureFolder::bring_up_to_date(CampaignStore& store) {
  if (path_.empty()) return;
  for (const std::uint64_t index : store.first_of_each_kind(kFilesOfKind))
    if (const auto replay = store.replay(index); replay && !path_.empty()) write(index, *replay);
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;
constexpr std::chrono::milliseconds kReportAfter{100};
// A process may be killed from outside, but not so often in a row at the same case: then the case
// is the cause (it takes all memory, say).
constexpr std::uint64_t kKills = 10;
constexpr std::uint64_t kTextSeconds = 10; // to make a case again

WorkerRecord* shared_records(std::size_t n) {
  void* const memory = mmap(nullptr, n * sizeof(WorkerRecord), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* const records = static_cast<WorkerRecord*>(memory);
  for (std::size_t i = 0; i < n; ++i) new (records + i) WorkerRecord;
  return records;
}

// The transforms, each of which records that it is running.
void record_transforms(std::vector<Transform>& transforms, WorkerRecord& record) {
  for (std::size_t i = 0; i < transforms.size(); ++i)
    transforms[i].run = [run = transforms[i].run, &record, i](const TransformInput& input) {
      struct AtWork {
        WorkerRecord& at;
        ~AtWork() { at.transform = 0; }
      } recorded{record};
      record.transform = static_cast<std::uint32_t>(i) + 1;
      return run(input);
    };
}

// The case as text where it can still be made; made in a process of its own, since making it may
// have failed.
std::optional<ReplayCase> text_of(std::uint64_t index, const CampaignConfig& campaign) {
  const ProcessResult made = run_forked(
      [&] {
        std::vector<std::uint32_t> choices;
        const auto fuzz_case = numbered_case(index, campaign, &choices);
        return json_line(replay_json(replay_case(index, campaign, *fuzz_case, choices)));
      },
      kTextSeconds);
  auto read = read_replay(made.output);
  if (!made.end.fine() || !read) return {};
  return std::move(*read);
}

} // namespace

CampaignPool::CampaignPool(CampaignConfig campaign, PoolOptions options)
    : campaign_(std::move(campaign)), options_(options),
      records_(shared_records(options.jobs), options.jobs), jobs_(options.jobs) {}

CampaignPool::~CampaignPool() {
  jobs_.clear();
  munmap(records_.data(), records_.size_bytes());
}

bool CampaignPool::has_room() const {
  return std::ranges::any_of(jobs_, [](const auto& job) { return !job; });
}
bool CampaignPool::idle() const {
  return std::ranges::none_of(jobs_, [](const auto& job) { return bool(job); });
}

void CampaignPool::start(std::uint64_t batch) {
  const auto room = std::ranges::find_if(jobs_, [](const auto& job) { return !job; });
  WorkerRecord& record = records_[static_cast<std::size_t>(room - jobs_.begin())];
  const std::uint64_t first = campaign_.plan.first(batch);
  Job job{.result = {.batch = batch},
          .next = first,
          .end = campaign_.plan.end(batch),
          .record = &record,
          .process = Process{}};
  job.process = start_process(job);
  *room = std::make_unique<Job>(std::move(job));
}

Process CampaignPool::start_process(const Job& job) const {
  job.record->index = job.next;
  job.record->transform = 0;
  job.record->clock.begin_process();
  job.record->begun = false;
  return Process([&](int out) { work(job.result, job.next, job.end, job.lost, *job.record, out); });
}

// In the process of the batch.
void CampaignPool::work(const BatchResult& so_far, std::uint64_t from, std::uint64_t end,
                        const std::set<std::uint64_t>& lost, WorkerRecord& record, int out) const {
  CampaignConfig campaign = campaign_;
  record_transforms(campaign.fuzz.transforms, record);
  // What is kept of a finding depends on those before it.
  BatchResult all = so_far;
  all.programs = 0;
  all.counters = {};
  std::size_t told = all.findings.size();
  auto last = Clock::now();
  for (std::uint64_t i = from; i < end; ++i) {
    record.index = i;
    record.clock.begin_case();
    record.begun = true;
    if (!lost.contains(i)) try_numbered_case_caught(i, campaign, all);
    if (Clock::now() - last < kReportAfter && i + 1 < end) continue;
    BatchPart part{i + 1, {.programs = all.programs, .counters = std::move(all.counters)}};
    part.result.findings.assign(all.findings.begin() + static_cast<std::ptrdiff_t>(told),
                                all.findings.end());
    if (!write_to(out, json_line(part_json(part)))) return;
    all.programs = 0;
    all.counters = {};
    told = all.findings.size();
    last = Clock::now();
  }
}

void CampaignPool::Job::take(CampaignFinding finding) {
  if (finding.kept) ++result.kept[finding_key(finding)];
  result.findings.push_back(std::move(finding));
}

void CampaignPool::take_parts(Job& job) {
  std::size_t at = 0;
  for (std::size_t end; (end = job.said.find('\n', at)) != std::string::npos; at = end + 1) {
    auto read = read_part(job.said.substr(at, end - at));
    if (!read) throw std::logic_error("a worker wrote " + read.error().message);
    BatchPart& part = *read;
    job.next = part.next;
    job.result.programs += part.result.programs;
    job.result.counters.add(part.result.counters);
    for (CampaignFinding& finding : part.result.findings) job.take(std::move(finding));
  }
  job.said.erase(0, at);
}

std::string CampaignPool::transform_at(const WorkerRecord& record) const {
  const std::uint32_t t = record.transform;
  return t == 0 ? "" : campaign_.fuzz.transforms[t - 1].text;
}

void CampaignPool::lose(Job& job, const ProcessEnd& end, const std::string& errors) {
  const std::uint64_t index = job.record->index;
  CampaignFinding finding{.index = index,
                          .oracle = job.hangs ? "hang" : "crash",
                          .transform = transform_at(*job.record),
                          .kind = {},
                          .kept = {}};
  finding.kind = fmt::format("{}/{}", finding.transform.empty() ? "program" : finding.transform,
                             job.hangs ? "hang" : end.text());
  finding.kept = text_of(index, campaign_);
  if (finding.kept) {
    finding.kept->oracle = finding.oracle;
    finding.kept->transform = finding.transform;
    finding.kept->kind = finding.kind;
    finding.kept->report = job.hangs
                               ? fmt::format("it took more than {} s\n", options_.case_seconds)
                               : fmt::format("its process ended with {}\n{}", end.text(), errors);
  }
  add_lost_case(std::move(finding), job.result);
  job.lost.insert(index);
}

bool CampaignPool::restarted(Job& job) {
  const ProcessEnd end = job.process.wait();
  if (job.next == job.end) return false;
  // It may have ended between two cases.
  if (job.record->index < job.next) job.record->index = job.next;
  const std::uint64_t index = job.record->index;
  if (end.killed() && !job.hangs && job.record->begun) {
    job.kills = job.last_killed == index ? job.kills + 1 : 1;
    job.last_killed = index;
  }
  if (!end.killed() || job.hangs || job.kills == kKills) {
    lose(job, end, job.process.errors());
    job.kills = 0;
  }
  job.hangs = false;
  job.said.clear();
  job.process = start_process(job);
  return true;
}

void CampaignPool::check_time(Job& job) {
  if (job.hangs || !job.record->clock.over(job.process, options_.case_seconds)) return;
  job.hangs = true;
  job.process.kill();
}

std::vector<BatchResult> CampaignPool::poll() {
  std::vector<pollfd> files;
  for (const auto& job : jobs_)
    if (job) files.push_back({job->process.fd(), POLLIN, 0});
  ::poll(files.data(), files.size(), kPollMilliseconds);
  std::vector<BatchResult> complete;
  for (auto& job : jobs_) {
    if (!job) continue;
    const bool open = job->process.read_into(job->said);
    take_parts(*job);
    if (open) {
      check_time(*job);
    } else if (!restarted(*job)) {
      std::ranges::sort(job->result.findings, {}, &CampaignFinding::index);
      complete.push_back(std::move(job->result));
      job.reset();
    }
  }
  return complete;
}

std::uint64_t CampaignPool::running_programs() const {
  std::uint64_t sum = 0;
  for (const auto& job : jobs_) sum += job ? job->result.programs : 0;
  return sum;
}

std::uint64_t CampaignPool::running_findings() const {
  std::uint64_t sum = 0;
  for (const auto& job : jobs_) sum += job ? job->result.findings.size() : 0;
  return sum;
}

void CampaignPool::kill_all() { jobs_.clear(); }

} // namespace sourir
