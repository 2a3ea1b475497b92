// One case of a campaign: a random program, what it reads, a pipeline of transforms and a schedule
// of forced exits, all a function of one choice sequence of choices; and everything that is asked
// of it. The same choice sequence and plan give the same case and the same result, in any process.
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

// What is done to programs and must keep what they do: rows of a table that the caller hands in
// (passes with their options, presets, a pass of the user's), so that this folder knows none.

struct Transformed {
  Program program;
  StateMap map; // from places of `program` to states of the input
  std::uint64_t rewrites = 0;
};

struct TransformInput {
  const Program& program;
  Names& names;
  // For what is said about places of the program (feedback): what was so whenever it ran on these
  // inputs, or, by the seed, just anything. 0: nothing is said.
  const std::vector<Value>& inputs;
  std::uint64_t feedback_seed = 0;
};

struct Transform {
  std::string text; // as in --pass: "checkpoints:everywhere"
  // Empty: nothing changed. An error (it throws, its command fails) is a finding.
  std::function<Result<std::optional<Transformed>>(const TransformInput&)> run;
};

// Counts by name ("pass/inline/changed"), which add up: of cases, batches, shards. What a case
// counts, and a campaign's report shows:
//   size/N            programs of N to 2N - 1 instructions, N a power of two
//   pass/TEXT/tried, pass/TEXT/changed, pass/TEXT/rewrites    TEXT: Transform::text
//   rule/NAME         steps by a rule of the semantics, in programs and what became of them
//   forced/DEPTH      forced deoptimizations that made DEPTH frames
//   states            pairs of states compared
//   oracle/NAME       how often an oracle was asked
//   inconclusive/WHY  cases of which something could not be told
// Anything else is shown as it is.

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
  bool inconclusive = false;      // a limit: some of it could not be told
  Counters counters;              // what was exercised
};

FuzzResult try_case(FuzzCase& fuzz_case, const FuzzPlan& plan);

// What makes work for a pass: what runs before it, and what programs look like. Internal to
// make_case.

struct FuzzBias {
  std::string_view pass;                  // without options
  std::array<std::string_view, 6> before; // transforms, as in Transform::text
  void (*policy)(Policy&) = nullptr;      // may be none
  bool base_only = false;                 // rather programs that have no exits yet
};

// One of those for this transform; the one for all others.
const FuzzBias& bias_for(std::string_view transform, ChoiceSequence& choices);

} // namespace sourir
