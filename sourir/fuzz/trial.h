// One case of a campaign: a random program, what it reads, a pipeline of transforms and a schedule
// of forced exits, all a function of one tape of choices; and everything that is asked of it.
// The same tape and plan give the same case and the same result, in any process.
#pragma once

#include "sourir/bisim/engine_row.h"
#include "sourir/bisim/generate/tape.h"
#include "sourir/bisim/oracle.h"
#include "sourir/bisim/transform.h"
#include "sourir/fuzz/counters.h"

#include <memory>

namespace sourir {

struct TrialPlan {
  std::vector<Transform> transforms; // what pipelines are drawn from
  // Every pipeline ends with one of these; empty: any of `transforms`.
  std::vector<std::size_t> looked_at;
  std::vector<EngineRow> engines; // what runs the programs besides the reference
  OracleSet oracles = OracleSet::all();
  std::uint32_t size = 60;     // instructions of a program, about
  std::uint32_t chain = 8;     // transforms in a pipeline, at most
  std::uint32_t steps = 2'000; // that a run of the program takes, about, at most
  std::uint64_t fuel = 20'000; // steps of a run
};

struct TrialCase {
  Names names;
  Program program;
  std::vector<Value> inputs;
  std::string leave;                 // a schedule for reference against reference
  std::vector<std::size_t> pipeline; // into TrialPlan::transforms
  std::uint64_t feedback_seed = 0;
};

std::unique_ptr<TrialCase> make_case(Tape& tape, const TrialPlan& plan);

struct Finding {
  Oracle oracle = Oracle::Events;
  std::string transform; // after which; empty: the program itself was at fault
  std::string kind;      // the same for what is probably the same bug
  std::string report;    // for people
};

struct TrialResult {
  std::optional<Finding> finding; // the first
  bool inconclusive = false;      // a limit: some of it could not be told
  Counters counters;              // what was exercised
};

TrialResult try_case(TrialCase& trial, const TrialPlan& plan);

// Whether two kinds are probably of the same bug: of the same transform and oracle.
bool same_bug(std::string_view kind, std::string_view other);

// A shorter tape whose case has a finding of probably the same bug. `tries`: cases to try, at most.
std::vector<std::uint32_t> shrink_case(std::vector<std::uint32_t> tape, const std::string& kind,
                                       const TrialPlan& plan, std::uint64_t tries = 500);

// A smaller case with a finding of probably the same bug, which need not be one that a tape gives:
// transforms, inputs, functions, versions, lines and variables taken out, what is left made
// simpler. The program's own exits stay right, as far as leaving at each of them shows.
std::unique_ptr<TrialCase> shrink_case(std::unique_ptr<TrialCase> trial, const std::string& kind,
                                       const TrialPlan& plan, std::uint64_t tries = 5'000);

} // namespace sourir
