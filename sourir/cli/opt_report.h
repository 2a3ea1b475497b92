// What `opt` says about a pipeline that has run, and about all passes.
#pragma once

#include "sourir/passes/run_pipeline.h"
#include "sourir/semantics/text/value_json.h"

namespace sourir {

// All passes with their options, and the presets.
std::string passes_text();
Json passes_json();

struct ProgramSize {
  std::size_t functions = 0, versions = 0, instructions = 0;
};
ProgramSize size_of(const Program& program);

struct OptReport {
  const PipelineResult& result;
  ProgramSize before;
};

std::string statistics_text(const OptReport& report);
Json statistics_json(const OptReport& report);
// Slowest first.
std::string times_text(const PipelineResult& result);
// Of the passes and the pipeline, each once.
std::vector<std::string> remarks(const PipelineResult& result);

} // namespace sourir
