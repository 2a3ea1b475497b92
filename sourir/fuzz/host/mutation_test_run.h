// Mutation tests: whether random cases detect a seeded bug (seeded_bugs.h), which oracle does,
// and how small a program shows it. Each test runs in a process of its own, several at a time.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/host/case_clock.h"
#include "sourir/fuzz/seeded_bugs.h"
#include "sourir/os/process.h"
#include "sourir/syntax/result.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>

namespace sourir {

struct MutationTestLimits {
  std::uint64_t programs = 0, seconds = 0, case_seconds = 0;
  std::uint64_t tries = 3'000; // cases tried to shrink one
};

struct MutationTestResult {
  bool caught = false;
  std::string oracle, kind; // "crash" and "hang", too
  std::uint64_t programs = 0;
  double seconds = 0;              // until it was caught
  std::uint64_t instructions = 0;  // of the shrunk program; 0: it was not shrunk
  std::string program;             // the shrunk one
  std::uint64_t not_its_fault = 0; // counterexamples that occur without the bug, too
};

// The test of one seeded bug: random cases until one has a finding that it has not without the bug;
// then the shrinking of that case. Used by one thread.
class MutationTestRun {
public:
  // The progress of its process, in memory that both share.
  struct Status {
    std::atomic<std::uint64_t> index{0}; // of the case
    CaseClock clock;
    std::atomic<bool> shrinking{false};
  };

  // The campaign's plan has the number of the bug. `status` outlives the run. Throws NoProcess.
  MutationTestRun(CampaignConfig campaign, MutationTestLimits limits, Status& status);

  // Receives what the process has reported. False: the test is over.
  bool poll();
  int fd() const { return process_.fd(); } // readable when there is something to poll
  const MutationTestResult& result() const { return result_; }

private:
  using Clock = std::chrono::steady_clock;

  void start(std::uint64_t from);
  // In the process: searches from this case on and reports lines of JSON to `out`.
  void search(std::uint64_t from, int out);
  std::uint64_t shrink(std::uint64_t index, int out); // instructions of the shrunk program
  bool due_to_bug(FuzzCase& fuzz_case);               // a finding, and none without the bug
  std::uint64_t report_shrunk(std::uint64_t index, const FuzzCase& fuzz_case, int out);
  // In the parent.
  bool over_time() const;
  void receive_lines();
  bool ended();
  double seconds() const;

  CampaignConfig campaign_;
  MutationTestLimits limits_;
  Status& status_;
  Process process_;
  std::string unread_; // not yet a whole line
  MutationTestResult result_;
  bool hangs_ = false, over_ = false;
  Clock::time_point begin_ = Clock::now();
};

struct MutationTest {
  SeededBug mutant;
  MutationTestResult result = {};
  bool done = false;
};

struct MutationTestOptions {
  std::size_t jobs = 1; // tests at a time, at least 1
  MutationTestLimits limits;
  // The campaign that a seeded bug is tested with.
  std::function<Result<CampaignConfig>(const SeededBug&)> campaign;
  std::function<void(const MutationTest&)> done; // called after each test
};

// Runs all tests, or until Ctrl-C (interrupt.h). Error: that of `campaign`. Throws NoProcess and
// bad_alloc.
Result<> run_mutation_tests(std::span<MutationTest> tests, const MutationTestOptions& options);

} // namespace sourir
