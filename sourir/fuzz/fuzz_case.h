// One case of a campaign: a random program, what it reads, a pipeline of transforms and a schedule
// of forced exits, all a function of one choice sequence of choices; and everything that is asked
// of it. The same choice sequence and plan give the same case and the same result, in any process.
#pragma once

#include "sourir/bisim/engine_row.h"
#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/oracle.h"
#include "sourir/bisim/transform.h"
#include "sourir/fuzz/counters.h"

#include <memory>

namespace sourir {

struct FuzzPlan {
  std::vector<Transform> transforms; // what pipelines are drawn from
  // Every pipeline ends with one of these; empty: any of `transforms`.
  std::vector<std::size_t> under_test;
  std::vector<EngineRow> engines; // what runs the programs besides the reference
  OracleSet oracles = OracleSet::all();
  std::uint32_t size = 60;     // instructions of a program, about
  std::uint32_t chain = 8;     // transforms in a pipeline, at most
  std::uint32_t steps = 2'000; // that a run of the program takes, about, at most
  std::uint64_t fuel = 20'000; // steps of a run
};

struct FuzzCase {
  Names names;
  Program program;
  std::vector<Value> inputs;
  std::string leave;                 // a schedule for reference against reference
  std::vector<std::size_t> pipeline; // into FuzzPlan::transforms
  std::uint64_t feedback_seed = 0;
};

std::unique_ptr<FuzzCase> make_case(ChoiceSequence& choices, const FuzzPlan& plan);

struct Finding {
  Oracle oracle = Oracle::Events;
  std::string transform; // after which; empty: the program itself was at fault
  std::string kind;      // the same for what is probably the same bug
  std::string report;    // for people
};

struct FuzzResult {
  std::optional<Finding> finding; // the first
  bool inconclusive = false;      // a limit: some of it could not be told
  Counters counters;              // what was exercised
};

FuzzResult try_case(FuzzCase& fuzz_case, const FuzzPlan& plan);

} // namespace sourir
