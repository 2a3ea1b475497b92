// `sourir run --engine=baseline|native|auto`: a run with its logs, its map for perf and its checks
// of versions. The program runs on a thread of its own, so that Ctrl-C ends the process also where
// native code does not poll. Hooks are called by the threads of the engine; a lock guards output.
#pragma once

#include "native/engine/engine.h"
#include "native/tiering/native_settings.h"
#include "sourir/bisim/added_version_check.h"
#include "sourir/cli/engine/tier_log.h"
#include "sourir/cli/engine/why_history.h"
#include "sourir/cli/run.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"
#include "sourir/replay/schedule_log.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

// `run --verify`: each version that the tiers add is checked from the state that requested it
// (sourir/bisim/added_version_check.h).
class TierVerifier {
public:
  // `brief`: with small limits first, for small programs.
  explicit TierVerifier(bool brief = false);

  // The hook for an engine, which this must outlive.
  native::Verifier hook();

  // The versions that differ, for people; empty: none does. To be called after the run.
  const std::string& report() const { return report_; }
  // The same of the versions that were not decided.
  const std::string& undecided() const { return undecided_; }
  // What was tried of all versions.
  const TriedParts& tried() const { return tried_; }

private:
  native::Verified check(const native::VersionToVerify& v);
  native::Verified differs(const native::VersionToVerify& v, const std::string& how);

  struct Effort {
    enum class Size : std::uint8_t { Brief, Medium, Full };
    LockstepOptions options;
    AddedVersionLimits limits;
  };
  static Effort effort(Effort::Size size);

  std::vector<Effort> efforts_; // each where those before it do not decide
  std::string report_, undecided_;
  TriedParts tried_;
};

// `run --perf-map`: the addresses of native code for Linux's perf, which reads a file of this name
// and form (tools/perf/Documentation/jit-interface.txt there): "START SIZE NAME", numbers in hex.
class PerfMap {
public:
  // Opens /tmp/perf-PID.map of this process. Returns the error, or nothing.
  std::string open();
  // Writes a line for each code object: F.V for one that calls enter, F.V@POSITION for one that
  // running frames enter. Recompiled code gets another line.
  void add(const native::MadeCode& made, const Names& names);
  // The error of writing, or nothing.
  std::string problem() const { return out_ ? out_->problem() : std::string(); }

private:
  OpenFile file_;
  std::optional<Output> out_; // flushed before the file is closed
};

class NativeRun {
public:
  NativeRun(const RunOptions& options, Output& out, Names& names);

  // For --perf-map: the error of opening, and at the end that of writing; or nothing.
  std::string open_perf_map();
  std::string perf_map_problem() const { return perf_map_.problem(); }

  // The report of --verify; empty: no version differs.
  const std::string& wrong_versions() const { return verifier_.report(); }
  const TierVerifier& verifier() const { return verifier_; }
  // Null: --tiers goes to standard error.
  void write_tiers_to(Output* file) { tiers_to_ = file; }

  // For --why: what the tiers do is recorded there, too. To be called before the run.
  void record_to(WhyHistory& history);

  // After a run that was to show native code (--tiers, a profile) and compiled none: one sentence
  // with what to do. Empty: some was compiled, or nobody asked. The log of --tiers=json has it as
  // its last line.
  const std::string& advice() const { return advice_; }

  // For --feedback-out, after the run: what was learned, in the form of the file.
  std::string feedback(native::EngineRun& run) const;

  // Runs to the end. Throws std::bad_alloc and native::NoCompiler.
  native::EngineRun run(const LinkedProgram& program, Input& input, const Schedule& schedule);
  // The program did not react to Ctrl-C, or the program ended before its compiler. A thread still
  // uses the run's data: exit_abandoned() must end the process.
  bool abandoned() const { return abandoned_; }
  [[noreturn]] static void exit_abandoned(int status); // after the last flush of standard output

  // Flushes the output: to be called before a wait for input.
  void flush();

private:
  void print(std::string_view line);
  void receive(const native::TierEvent& event);
  void keep_feedback(const native::CompileJob& job);
  void write_log(const std::string& lines);
  void advise(const native::EngineStatistics& counts);

  native::NativeSettings settings_;
  native::EngineHooks hooks_;
  Output& out_;
  Names& names_;
  const RunOptions& options_;
  PerfMap perf_map_;
  TierVerifier verifier_;
  std::optional<ScheduleLog> schedule_;
  // By function, of its last optimized version; and the same as JSON, since after an abandoned run
  // the names may still change.
  std::vector<FeedbackFile::OfFunction> made_from_;
  std::vector<std::string> made_from_text_;
  const LinkedProgram* program_ = nullptr; // of the run
  Output* tiers_to_ = nullptr;
  std::optional<TierForm> log_form_; // of --tiers; empty: there is no such log
  WhyHistory* history_ = nullptr;    // of --why
  std::string advice_;
  std::timed_mutex writing_; // stays locked after an abandoned run, which then writes no more
  bool abandoned_ = false;
};

} // namespace sourir
