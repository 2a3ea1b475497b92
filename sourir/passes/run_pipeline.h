// Runs of a pipeline: one pass after the other, with a report and a call of a hook for each; the
// optimizer of one function for the tiers; answers of passes that are commands (exec:CMD).
#pragma once

#include "sourir/passes/pipeline.h"
#include "sourir/syntax/result.h"
#include "sourir/syntax/state_map.h"

#include <functional>
#include <optional>

namespace sourir {

struct PassReport {
  std::string pass; // as written; exec:CMD for a command
  bool changed = false;
  std::uint64_t rewrites = 0;
  double milliseconds = 0; // of the processor; of the clock for a command
  std::vector<std::string> remarks;
};

// The output of a command (exec:CMD).
struct CommandOutput {
  Program program;
  std::optional<StateMap> map; // empty: it gives none
};

// A pass or command that has run.
struct PassEvent {
  const PassReport& report;
  const Program& before;
  const Program& after; // `before` itself if nothing changed
  // The state map of the change; if a command gives none, versions that differ are unmapped.
  std::function<StateMap()> map;
};

enum class Verdict : std::uint8_t { Continue, Stop, Undo }; // Undo: discards the change and stops

struct PipelineHooks {
  std::function<Verdict(const PassEvent&)> after_pass;
  // Runs a command; a message if it fails: the pipeline stops, the program is as before.
  std::function<Result<CommandOutput>(const std::string&, const PassInput&)> command;
  // Runs a pass of a plugin; a message if it fails, as above. Empty: it is called like any other.
  std::function<Result<std::optional<PassResult>>(const RunPass&, const PassInput&)> plugin;
  // Called by optimize_function() with the error of a command or a plugin's pass. The version is
  // made without that pass and those after it.
  std::function<void(const std::string&)> failed;
  bool compose_maps = false;
  // Whether `map` of the events is used: without it, passes do not compute values for it.
  bool maps = true;
  // The program is a part of another one (PassInput::part).
  bool part = false;
};

struct PipelineResult {
  Program program;
  std::optional<StateMap> map;      // to the first program; if asked for
  double map_milliseconds = 0;      // processor time to make it, which no pass is charged with
  std::vector<PassReport> reports;  // in the order of the runs
  std::vector<std::string> remarks; // of the pipeline itself: bounds that were hit
  bool stopped = false;
  std::string error;               // of a command or a pass of a plugin; empty: none
  std::optional<Program> rejected; // the output of a pass of a plugin that `error` is about
};

PipelineResult run_pipeline(const Pipeline& pipeline, Program program, Names& names,
                            const Feedback& feedback, const PipelineHooks& hooks = {});

// The pipeline of the tiers for one function: every pass is restricted to it, but for those at the
// beginning that make speculative versions. These also work on the functions that feedback
// mentions, which may be inlined. `context`: guards of a version for these calls only; none: it is
// for all calls of the active version.
Pipeline for_function(Pipeline pipeline, FunName function, const Feedback& feedback,
                      const Names& names, std::span<const Expr> context = {});

// The program with an optimized active version of the function, and its map to `program`; empty:
// nothing changed. `context`: as above. `hooks`: compose_maps and part are always set.
struct OptimizedFunction {
  Program program;
  StateMap map;
};
std::optional<OptimizedFunction> optimize_function(const Program& program, FunName function,
                                                   const Feedback& feedback,
                                                   const Pipeline& pipeline, Names& names,
                                                   const PipelineHooks& hooks = {},
                                                   std::span<const Expr> context = {});

// The answer of a command, {"program": PROGRAM, "state_map": STATE MAP} (the map is optional), or
// what is wrong with its form, in one line. Neither the program nor the map is checked.
Result<CommandOutput> read_pass_answer(std::string_view json, Names& names);

} // namespace sourir
