// The subcommands of `sourir campaign`: many random cases in processes, with the results in a
// database. Each function returns the exit status.
#pragma once

#include "sourir/cli/command.h"

#include <string>

namespace sourir {

struct CampaignOptions {
  std::uint64_t programs = 10'000, seed = 1, jobs = 0, batch = 250, size = 60, chain = 8;
  std::uint64_t fuel = 20'000, seconds = 0, case_seconds = 60, exec_seconds = 60;
  std::string passes = "all", oracles = "all", without, engines, shard, db, failures;
  std::uint64_t mutant = 0;
  bool json = false;
};
int run_campaign(const CampaignOptions& options);

struct CampaignReportOptions {
  std::string db, html;
  bool json = false;
};
int run_campaign_report(const CampaignReportOptions& options);

struct CampaignReplayOptions {
  std::string which, db; // which: the number of a case, or a replay file
  std::string output;
  std::uint64_t tries = 5'000, seconds = 60;
  bool json = false;
};
int run_campaign_replay(const CampaignReplayOptions& options);
int run_campaign_shrink(const CampaignReplayOptions& options);

struct CampaignMergeOptions {
  std::string out;
  std::vector<std::string> in;
};
int run_campaign_merge(const CampaignMergeOptions& options);

struct MutantsOptions {
  // programs, seconds: limits for each bug; `passes` empty: chosen by the part with the bug.
  CampaignOptions campaign;
  std::vector<std::string> numbers; // empty: all
  bool json = false;
};
// Reports which seeded bugs are found, by which oracle, how soon and how small.
int run_campaign_mutants(const MutantsOptions& options);

struct CampaignSlurmOptions {
  CampaignOptions campaign;
  std::uint64_t shards = 10;
  std::string partition;
};
// Prints a batch file that runs the shards on a cluster.
int run_campaign_slurm(const CampaignSlurmOptions& options);

} // namespace sourir
