// The options and flags of the sampling profiler for commands that run programs (docs/profiler.md).
#pragma once

#include "profiler/settings.h"
#include "sourir/cli/command.h"

namespace sourir {

struct ProfileOptions {
  // auto (the first that works), counter, clock, timer, loop; empty: no sampling
  std::string trigger;
  static constexpr std::uint64_t kByTrigger = 0;
  std::uint64_t period = kByTrigger;      // instructions; loop: back edges and calls
  std::uint64_t min_samples = kByTrigger; // T1
  std::uint64_t max_samples = kByTrigger; // T2
  std::uint64_t limit = 1;                // percent of the time for signals, 1 to 100
  static constexpr std::uint64_t kUsualHits = ~std::uint64_t{0};
  std::uint64_t hits = kUsualHits; // of a code object until it is instrumented
  bool sample_only = false;
  std::uint64_t burst = 0, pause = 1;
  bool adaptive = false;
  std::string record, replay; // files of samples; empty: none
  std::shared_ptr<const std::vector<profiler::RecordedSample>> samples; // from `replay`
  std::string report;                   // a file for the report; "-": standard error; empty: none
  bool json = false;                    // the report as JSON
  std::string folded, speedscope, html; // files for stacks; empty: none
};

void add_profile_flags(std::vector<Flag>& flags, ProfileOptions& options);
// The usage error, or nothing.
std::string profile_problem(const ProfileOptions& options, const std::string& engine);
profiler::Settings profile_settings(const ProfileOptions& options);
// Reads the samples to replay. Returns the error, or nothing.
std::string load_samples(ProfileOptions& options);

} // namespace sourir
