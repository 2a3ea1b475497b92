#include "sourir/fuzz/host/mutation_test_run.h"

#include "sourir/fuzz/campaign_form.h"
#include "sourir/fuzz/host/caught_exceptions.h"
#include "sourir/fuzz/host/isolated_case.h"
#include "sourir/fuzz/shrink_case.h"
#include "sourir/os/interrupt.h"
#include "sourir/syntax/text/printer.h"

#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace sourir {
namespace {

constexpr std::uint64_t kSmall = 15; // instructions
constexpr std::uint64_t kShrunk = 4; // cases of one bug, at most

// Whether the case crashes or hangs without the bug, too.
bool lost_without(std::uint64_t index, const CampaignConfig& campaign, std::uint64_t seconds) {
  const ProcessResult done = run_forked(
      [&] {
        select_seeded_bug(0);
        BatchResult ignored;
        try_numbered_case_caught(index, campaign, ignored);
        return std::string();
      },
      seconds);
  return !done.end.fine();
}

} // namespace

MutationTestRun::MutationTestRun(CampaignConfig campaign, MutationTestLimits limits, Status& status)
    : campaign_(std::move(campaign)), limits_(limits), status_(status) {
  start(0);
}

void MutationTestRun::start(std::uint64_t from) {
  status_.index = from;
  status_.clock.begin_process();
  status_.shrinking = false;
  process_ = Process([this, from](int out) { search(from, out); });
}

double MutationTestRun::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}
bool MutationTestRun::over_time() const { return seconds() > static_cast<double>(limits_.seconds); }

// --- In the process of the test ------------------------------------------------------------------

void MutationTestRun::search(std::uint64_t from, int out) {
  const auto mutant = static_cast<int>(campaign_.plan.mutant);
  select_seeded_bug(mutant);
  std::uint64_t shrunk = 0;
  for (std::uint64_t i = from; i < limits_.programs && !over_time(); ++i) {
    status_.index = i;
    status_.clock.begin_case();
    BatchResult result;
    try_numbered_case_caught(i, campaign_, result);
    if (result.findings.empty()) continue;
    const CampaignFinding& f = result.findings.front();
    select_seeded_bug(0);
    BatchResult without;
    try_numbered_case_caught(i, campaign_, without);
    select_seeded_bug(mutant);
    const bool bug_changes_result = without.findings.empty();
    const Json line{
        {"at", i}, {"its_fault", bug_changes_result}, {"oracle", f.oracle}, {"kind", f.kind}};
    if (!write_to(out, json_line(line))) return;
    if (!bug_changes_result) continue;
    status_.shrinking = true;
    // A program that stays large may be small by another case.
    if (shrink(i, out) <= kSmall || ++shrunk == kShrunk) return;
    status_.shrinking = false;
  }
}

bool MutationTestRun::due_to_bug(FuzzCase& fuzz_case) {
  if (!try_case(fuzz_case, campaign_.fuzz).finding) return false;
  select_seeded_bug(0);
  const bool without = try_case(fuzz_case, campaign_.fuzz).finding.has_value();
  select_seeded_bug(static_cast<int>(campaign_.plan.mutant));
  return !without;
}

std::uint64_t MutationTestRun::report_shrunk(std::uint64_t index, const FuzzCase& fuzz_case,
                                             int out) {
  const ReplayCase replay = replay_case(index, campaign_, fuzz_case, {});
  const std::uint64_t instructions = instructions_of(replay, campaign_);
  write_to(out, json_line({{"instructions", instructions}, {"program", replay.program}}));
  status_.clock.begin_case();
  return instructions;
}

// First by the choice sequence, where every finding due to the bug counts; then the program itself,
// where only findings of the same kind count.
std::uint64_t MutationTestRun::shrink(std::uint64_t index, int out) {
  status_.clock.begin_case();
  std::vector<std::uint32_t> choices;
  numbered_case(index, campaign_, &choices);
  const auto make = [&](const std::vector<std::uint32_t>& words) {
    ChoiceSequence again(words);
    return make_case(again, campaign_.fuzz);
  };
  const auto small = shrink_choices(choices, limits_.tries / 6,
                                    [&](const auto& words) { return due_to_bug(*make(words)); });
  auto fuzz_case = make(small);
  const std::uint64_t instructions = report_shrunk(index, *fuzz_case, out);
  const auto finding = try_case(*fuzz_case, campaign_.fuzz).finding;
  if (!finding) return instructions;
  fuzz_case =
      shrink_case(std::move(fuzz_case), finding->kind, campaign_.fuzz, {.tries = limits_.tries});
  return due_to_bug(*fuzz_case) ? report_shrunk(index, *fuzz_case, out) : instructions;
}

// --- In the parent -------------------------------------------------------------------------------

void MutationTestRun::receive_lines() {
  std::size_t at = 0;
  for (std::size_t end; (end = unread_.find('\n', at)) != std::string::npos; at = end + 1) {
    const Json line = Json::parse(unread_.substr(at, end - at));
    if (line.contains("program")) {
      const std::uint64_t instructions = line.at("instructions");
      if (result_.instructions != 0 && instructions >= result_.instructions) continue;
      result_.instructions = instructions;
      result_.program = line.at("program");
    } else if (!line.at("its_fault").get<bool>()) {
      ++result_.not_its_fault;
    } else if (!result_.caught) {
      result_.caught = true;
      result_.oracle = line.at("oracle");
      result_.kind = line.at("kind");
      result_.programs = line.at("at").get<std::uint64_t>() + 1;
      result_.seconds = seconds();
    }
  }
  unread_.erase(0, at);
}

// The process has ended. Whether the test is over.
bool MutationTestRun::ended() {
  const ProcessEnd end = process_.wait();
  if (result_.caught) return true; // shrunk, or not
  const std::uint64_t index = status_.index;
  if (end.fine()) {
    result_.programs = index + 1;
    result_.seconds = seconds();
    return true;
  }
  if (!lost_without(index, campaign_, limits_.case_seconds)) {
    result_.caught = true;
    result_.oracle = hangs_ ? "hang" : "crash";
    result_.kind = hangs_ ? "hang" : end.text();
    result_.programs = index + 1;
    result_.seconds = seconds();
    return true;
  }
  ++result_.not_its_fault;
  hangs_ = false;
  if (index + 1 >= limits_.programs || over_time()) return true;
  start(index + 1);
  return false;
}

bool MutationTestRun::poll() {
  if (over_) return false;
  const bool open = process_.read_into(unread_);
  receive_lines();
  if (!open) return !(over_ = ended());
  constexpr std::uint64_t kShrinkFactor = 6; // of the time of one case
  const std::uint64_t allowed = limits_.case_seconds * (status_.shrinking ? kShrinkFactor : 1);
  if (!hangs_ && status_.clock.over(process_, allowed)) {
    hangs_ = true;
    process_.kill();
  }
  return true;
}

namespace {

using Status = MutationTestRun::Status;

// One Status a job, in memory that is shared with the processes.
class SharedStatuses {
public:
  explicit SharedStatuses(std::size_t count) : count_(count) {
    void* const memory = mmap(nullptr, count * sizeof(Status), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<Status*>(memory);
    for (std::size_t i = 0; i < count; ++i) new (first_ + i) Status;
  }
  SharedStatuses(const SharedStatuses&) = delete;
  SharedStatuses& operator=(const SharedStatuses&) = delete;
  ~SharedStatuses() { munmap(first_, count_ * sizeof(Status)); }
  Status& operator[](std::size_t i) { return first_[i]; }

private:
  std::size_t count_;
  Status* first_;
};

struct TestJob {
  MutationTest* test = nullptr;
  std::unique_ptr<MutationTestRun> run = {};
};

void wait_for_any(const std::vector<TestJob>& jobs) {
  constexpr int kMilliseconds = 100;
  std::vector<pollfd> files;
  for (const TestJob& job : jobs)
    if (job.run) files.push_back({job.run->fd(), POLLIN, 0});
  ::poll(files.data(), files.size(), kMilliseconds);
}

} // namespace

Result<> run_mutation_tests(std::span<MutationTest> tests, const MutationTestOptions& options) {
  SharedStatuses statuses(options.jobs); // outlives the jobs
  std::vector<TestJob> jobs(options.jobs);
  std::size_t next = 0;
  while (!interrupted()) {
    for (std::size_t i = 0; i < jobs.size() && next < tests.size(); ++i) {
      if (jobs[i].run) continue;
      MutationTest& test = tests[next++];
      auto campaign = options.campaign(test.mutant);
      if (!campaign) return failure(campaign.error());
      jobs[i] = {&test, std::make_unique<MutationTestRun>(std::move(*campaign), options.limits,
                                                          statuses[i])};
    }
    if (std::ranges::none_of(jobs, [](const TestJob& job) { return bool(job.run); })) break;
    wait_for_any(jobs);
    for (TestJob& job : jobs) {
      if (!job.run || job.run->poll()) continue;
      job.test->result = job.run->result();
      job.test->done = true;
      job.run.reset();
      options.done(*job.test);
    }
  }
  return {};
}

} // namespace sourir
