// The search for one seeded bug: random cases until one of them tells, and tells nothing without
// the bug; then a small one.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/host/case_clock.h"
#include "sourir/os/forked.h"

#include <atomic>
#include <chrono>

namespace sourir {

struct HuntLimits {
  std::uint64_t programs = 0, seconds = 0, case_seconds = 0;
  std::uint64_t tries = 3'000; // of shrinking
};

struct HuntResult {
  bool caught = false;
  std::string oracle, kind; // "crash" and "hang", too
  std::uint64_t programs = 0;
  double seconds = 0;              // until it was caught
  std::uint64_t instructions = 0;  // of the shrunk program; 0: it was not shrunk
  std::string program;             // that one
  std::uint64_t not_its_fault = 0; // counterexamples that are there without the bug
};

// What a hunting process is at, in memory that is shared with it.
struct HuntNote {
  std::atomic<std::uint64_t> index{0};
  CaseClock clock;
  std::atomic<bool> shrinking{false};
};

class Hunt {
public:
  // The campaign's plan says which bug. `note` is in shared memory.
  Hunt(CampaignTrials campaign, HuntLimits limits, HuntNote& note);

  // False: it is over.
  bool poll();
  int fd() const { return process_.fd(); }
  const HuntResult& result() const { return result_; }

private:
  using Clock = std::chrono::steady_clock;

  void start(std::uint64_t from);
  void search(std::uint64_t from, int out);
  // The instructions that are left.
  std::uint64_t shrink(std::uint64_t index, int out);
  // Something is found, and not without the bug.
  bool guilty(TrialCase& trial);
  std::uint64_t tell_small(std::uint64_t index, const TrialCase& trial, int out);
  bool over_time() const;
  void take_lines();
  bool ended();
  double seconds() const;

  CampaignTrials campaign_;
  HuntLimits limits_;
  HuntNote& note_;
  Forked process_;
  std::string said_;
  HuntResult result_;
  bool hangs_ = false, over_ = false;
  Clock::time_point begin_ = Clock::now();
};

} // namespace sourir
