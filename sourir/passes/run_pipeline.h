// Running a pipeline, with a look at what each pass did.
#pragma once

#include "sourir/passes/pipeline.h"

#include <functional>

namespace sourir {

struct PassReport {
  std::string pass; // as written; exec:CMD for a command
  bool changed = false;
  std::uint64_t rewrites = 0;
  double milliseconds = 0; // of the processor; of the clock for a command
  std::vector<std::string> remarks;
};

// What a command made of a program.
struct CommandOutput {
  Program program;
  std::optional<StateMap> map; // empty: it does not say
};

// A pass that has run.
struct PassEvent {
  const PassReport& report;
  const Program& before;
  const Program& after; // `before` itself if nothing changed
  // Of the change; for a command that does not say, no version that differs is mapped.
  std::function<StateMap()> map;
};

enum class Verdict : std::uint8_t { Continue, Stop, Undo }; // Undo: without this change, stop

struct PipelineHooks {
  std::function<Verdict(const PassEvent&)> after_pass;
  // A message if the command cannot be used: the pipeline stops, its output is as before.
  std::function<std::variant<CommandOutput, std::string>(const std::string&, const PassInput&)>
      command;
  bool compose_maps = false;
  // Whether anybody asks for maps: without it passes need not find out values for them.
  bool maps = true;
  // The program is a part of another one (PassInput::part).
  bool part = false;
};

struct PipelineResult {
  Program program;
  std::optional<StateMap> map;      // to the first program; if asked for
  std::vector<PassReport> reports;  // in the order of the runs
  std::vector<std::string> remarks; // of the pipeline itself: bounds that were hit
  bool stopped = false;
  std::string error; // of a command; empty: none
};

PipelineResult run_pipeline(const Pipeline& pipeline, Program program, Names& names,
                            const Feedback& feedback, const PipelineHooks& hooks = {});

} // namespace sourir
