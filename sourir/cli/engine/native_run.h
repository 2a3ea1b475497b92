// `sourir run --engine=baseline|native|auto`: the run is on a thread of its own, so that Ctrl-C
// ends it also where native code looks at nothing.
#pragma once

#include "native/engine/engine.h"
#include "native/tiering/native_settings.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/cli/run.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"
#include "sourir/replay/schedule_log.h"

#include <mutex>
#include <optional>
#include <string>

namespace sourir {

// `run --verify`: each version that the tiers make runs beside what it is a version of, from the
// state that asked for it on (bisim/state_entry.h).

class TierVerifier {
public:
  // What an engine takes; this must outlive it.
  native::Verifier hook();

  // Of the versions that differ, for people; empty: none does. Once the engine has ended.
  const std::string& report() const { return report_; }

private:
  native::Verified check(const native::VersionToVerify& v);
  native::Verified differs(const native::VersionToVerify& v, const std::string& how);

  std::string report_;
};

// `run --perf-map`: where native code lies, for Linux's perf, which looks for a file of this name
// and form (tools/perf/Documentation/jit-interface.txt): "START SIZE NAME", numbers in hex.

class PerfMap {
public:
  // /tmp/perf-PID.map of this process. What is wrong, or nothing.
  std::string open();
  // A line for each piece of code, in the file when this returns: F.V for what calls enter,
  // F.V@POSITION for what running frames enter. Code that is made again gets another line.
  void add(const native::MadeCode& made, const Names& names);
  // What went wrong since then, or nothing.
  std::string problem() const { return out_ ? out_->problem() : std::string(); }

private:
  OpenFile file_;
  std::optional<Output> out_; // flushed before the file is closed
};

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
  // uses everything: exit_abandoned() ends the process.
  bool abandoned() const { return abandoned_; }
  [[noreturn]] static void exit_abandoned(int status); // after the last flush of standard output

  // What was printed so far leaves the process: for whoever waits for input.
  void flush();

private:
  void print(std::string_view line);
  void listen();
  void write_log(const std::string& lines);

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
