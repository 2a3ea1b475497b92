// Engines: ways to run programs that must do what the reference does. Rows of a table that the
// caller hands in, so that this folder knows none.
#pragma once

#include "sourir/bisim/reference_run.h"
#include "sourir/syntax/result.h"

#include <functional>
#include <string>

namespace sourir {

struct EngineInput {
  const LinkedProgram& program;
  const std::vector<Value>& reads;
  const Schedule& schedule;
  const Limits& limits; // an engine may count less than the reference, never more
  Names& names;
  bool thorough = false; // whether it may take its time
};

struct EngineAnswer {
  std::vector<Event> events; // prints and the end: engines do not say when they read
  std::uint64_t reads = 0;
  std::uint64_t forced = 0; // exits taken since the schedule asked for it
  std::string problem;      // what it did that it should not have, whatever came of it
};

struct EngineRow {
  std::string name;
  // An error (it throws) is a finding.
  std::function<Result<EngineAnswer>(const EngineInput&)> run;
  bool makes_code = false; // which takes its time
};

// How the engine's run differs from the reference's, which is conclusive; empty: it does not.
std::string engine_difference(const EngineRow& engine, const EngineInput& input,
                              const ReferenceRun& expected);

} // namespace sourir
