// A run of the reference: its events, the rules that it used and the exits that it was forced to
// take. Runs of other engines, compared with it.
#pragma once

#include "sourir/bisim/observable_events.h"
#include "sourir/bisim/oracle.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/result.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace sourir {

struct ReferenceRun {
  std::vector<Event> events; // the last one ends the run
  std::array<std::uint64_t, kRuleCount> rules{};
  std::uint64_t steps = 0, opportunities = 0;
  std::uint64_t injected = 0;                    // exits that the schedule asks for
  std::uint64_t forced = 0;                      // exits taken though they need not be
  std::map<std::size_t, std::uint64_t> by_depth; // of these, by the number of frames they make

  bool at_limit() const { return events.back().kind == Event::Kind::Limit; }
};

ReferenceRun reference_run(const LinkedProgram& program, const std::vector<Value>& reads,
                           const Schedule& schedule, const Limits& limits, Names& names);

// Engines: ways to run programs that must do what the reference does. Rows of a table that the
// caller hands in, so that this folder depends on none.
struct EngineInput {
  const LinkedProgram& program;
  const std::vector<Value>& reads;
  const Schedule& schedule;
  const Limits& limits; // an engine may count less than the reference, never more
  Names& names;
  bool thorough = false;  // more expensive checks are allowed
  std::uint64_t draw = 0; // the choices of a check that tries something else in each case
};

struct EngineAnswer {
  std::vector<Event> events; // prints and the end: engines do not say when they read
  std::uint64_t reads = 0;
  // Exits taken because the schedule asked for them. Empty: the engine ran versions of its own,
  // with other opportunities than the reference has.
  std::optional<std::uint64_t> forced;
  std::map<std::string, std::uint64_t> counts; // of what it did, for reports
  std::string problem;      // an error of the engine that the events do not show; empty: none
  std::string inconclusive; // why the engine could not be compared in full; empty: it was
};

struct EngineRow {
  std::string name;
  // An error (it throws) is a finding.
  std::function<Result<EngineAnswer>(const EngineInput&)> run;
  bool makes_code = false; // which takes its time
  Oracle oracle = Oracle::Engines;
  // `problem` is all that its answers say, also where the reference reaches a limit.
  bool checks_itself = false;
};

// The difference of the engine's answer from the reference's run, which is conclusive; empty: none.
std::string engine_difference(const Result<EngineAnswer>& answer, const ReferenceRun& expected);

} // namespace sourir
