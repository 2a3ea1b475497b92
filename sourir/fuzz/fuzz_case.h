// One case of a campaign: a random program, its inputs, a pipeline of transforms and a schedule of
// forced exits, all drawn from one choice sequence; and the checks of it. The same choice sequence
// and plan give the same case and the same result, in any process.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/oracle.h"
#include "sourir/bisim/reference_run.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/result.h"
#include "sourir/syntax/state_map.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// Transforms: changes of programs that must keep their behaviour. Rows of a table that the caller
// hands in (passes with their options, presets, a pass of the user's), so that this folder depends
// on none.
struct Transformed {
  Program program;
  StateMap map; // from places of `program` to states of the input
  std::uint64_t rewrites = 0;
};

struct TransformInput {
  const Program& program;
  Names& names;
  // For feedback about places of the program: what held whenever it ran on these inputs, or, by the
  // seed, arbitrary feedback. Seed 0: none.
  const std::vector<Value>& inputs;
  std::uint64_t feedback_seed = 0;
};

struct Transform {
  std::string text; // as in --pass: "checkpoints:everywhere"
  // Empty: nothing changed. An error (it throws, its command fails) is a finding.
  std::function<Result<std::optional<Transformed>>(const TransformInput&)> run;
};

// Counts by name ("pass/inline/changed"), which add up: of cases, batches, shards. A case counts,
// and the report of a campaign shows:
//   size/N            programs of N to 2N - 1 instructions, N a power of two
//   pass/TEXT/tried, pass/TEXT/changed, pass/TEXT/rewrites    TEXT: Transform::text
//   rule/NAME         steps by a rule of the semantics, in programs and outputs of pipelines
//   forced/DEPTH      forced deoptimizations that made DEPTH frames
//   states            pairs of states compared
//   oracle/NAME       how often an oracle was asked
//   inconclusive/WHY  inconclusive cases, by the first reason
// All other counts are shown by name.
class Counters {
public:
  void add(std::string_view name, std::uint64_t n = 1) {
    if (n == 0) return;
    const auto found = counts_.find(name);
    if (found == counts_.end())
      counts_.emplace(name, n);
    else
      found->second += n;
  }
  void add(const Counters& other) {
    for (const auto& [name, n] : other.counts_) add(name, n);
  }
  std::uint64_t of(std::string_view name) const {
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  const std::map<std::string, std::uint64_t, std::less<>>& all() const { return counts_; }
  friend bool operator==(const Counters&, const Counters&) = default;

private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

struct FuzzPlan {
  std::vector<Transform> transforms; // what pipelines are drawn from
  // Every pipeline ends with one of these; empty: any of `transforms`.
  std::vector<std::size_t> under_test;
  std::vector<EngineRow> engines; // engines that run the programs, besides the reference
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
  std::string deopt;                 // a schedule for reference against reference
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
  bool inconclusive = false;      // a limit was reached: some checks are missing
  Counters counters;              // what was exercised
};

FuzzResult try_case(FuzzCase& fuzz_case, const FuzzPlan& plan);

// The bias of the cases of one pass: transforms before it, and the policy of its programs. Internal
// to make_case.
struct FuzzBias {
  std::string_view pass;                  // without options
  std::array<std::string_view, 6> before; // transforms, as in Transform::text
  void (*policy)(Policy&) = nullptr;      // may be none
  bool base_only = false;                 // preferably programs without exits
};

// One of the biases of this transform; the usual one if it has none.
const FuzzBias& bias_for(std::string_view transform, ChoiceSequence& choices);

} // namespace sourir
