// `sourir run --engine=baseline|native|auto`: the run is on a thread of its own, so that Ctrl-C
// ends it also where native code looks at nothing.
#pragma once

#include "native/engine/engine.h"
#include "sourir/cli/engine/perf_map.h"
#include "sourir/cli/engine/tier_verifier.h"
#include "sourir/cli/run.h"
#include "sourir/os/output.h"
#include "sourir/replay/schedule_log.h"

#include <mutex>

namespace sourir {

class NativeRun {
public:
  NativeRun(const RunOptions& options, Output& out, Names& names);

  // For --perf-map. What is wrong, or nothing; the same at the end.
  std::string open_perf_map();
  std::string perf_map_problem() const { return perf_map_.problem(); }

  // What --verify found wrong; empty: nothing.
  const std::string& wrong_versions() const { return verifier_.report(); }
  // Where --tiers goes, if not to standard error.
  void write_tiers_to(Output* file) { tiers_to_ = file; }

  // To the end. Throws std::bad_alloc where there is no memory, native::NoCompiler.
  native::EngineRun run(const LinkedProgram& program, Input& input, const Schedule& schedule);
  // Ctrl-C came and it did not notice, or the program ended before its compiler. A thread still
  // uses everything: leave() is the way out.
  bool abandoned() const { return abandoned_; }
  [[noreturn]] static void leave(int status); // after the last flush of standard output

  // What was printed so far leaves the process: for whoever waits for input.
  void flush();

private:
  void print(std::string_view line);
  void listen();
  void tell(const std::string& lines);

  native::NativeSettings settings_;
  native::EngineHooks hooks_;
  Output& out_;
  Names& names_;
  const RunOptions& options_;
  PerfMap perf_map_;
  TierVerifier verifier_;
  std::optional<ScheduleLog> schedule_;
  Output* tiers_to_ = nullptr;
  std::timed_mutex writing_; // kept by us where the run is abandoned: it writes no more
  bool abandoned_ = false;
};

} // namespace sourir
