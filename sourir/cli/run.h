// The options of `sourir run FILE` and its execution.
#pragma once

#include "sourir/cli/engine/engine_setup.h"
#include "sourir/cli/pass_setup.h"
#include "sourir/semantics/limits.h"

#include <string>
#include <vector>

namespace sourir {

struct RunOptions {
  std::string file; // the program, text or JSON; "-": standard input
  PassSetup passes; // passes before the run; may be empty
  // reference, baseline, native, auto; empty: the reference where another flag needs its steps,
  // otherwise auto, or baseline in a build without native code
  std::string engine;
  TierOptions tiers;
  bool perf_map = false;        // /tmp/perf-PID.map
  std::string tier_log;         // empty: none; "text", "versions", "json" or "schedule"
  std::string tier_file;        // the file of that log; empty: standard error
  std::vector<std::string> why; // functions and versions that --why asks about
  std::string feedback_out;     // the file of what the tiers learned; empty: none
  std::string jit_schedule;     // a file with a log of the schedule, which the reference replays
  std::string input; // a file that the program reads; empty: standard input, if it is free
  Limits limits;
  std::string deopt = "never"; // the schedule of forced exits (schedule.h), one run only
  std::string watch;           // which guards are watched (schedule.h); empty: as `deopt` says
  std::string stats;           // empty: none; "text" or "json", on standard error
  std::string report;          // a file for outcome and statistics as JSON; empty: none
  bool json = false;           // the outcome as JSON, as the last line of the output
  std::string result;          // "json": the same
  std::string trace;           // empty: none; "text" or "json"
  std::string trace_file;      // empty: standard error
};

// `run`, and `profile`, which is a run with a report. Returns the exit status.
int run_run(const RunOptions& options);
// --tiers and --tiers-file.
void add_tier_log_flags(std::vector<Flag>& flags, RunOptions& options);

} // namespace sourir
