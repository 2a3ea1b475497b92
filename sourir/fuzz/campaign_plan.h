// The plan of a campaign: everything that its results depend on. Two campaigns with the same plan
// give the same results, however they are divided into processes, shards and sessions.
#pragma once

#include "sourir/bisim/oracle.h"
#include "sourir/syntax/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace sourir {

struct CampaignPlan {
  std::uint64_t programs = 10'000;
  std::uint64_t seed = 1;
  std::uint64_t batch = 250;  // programs whose results are stored at once
  std::string passes = "all"; // every pipeline ends with one of them
  OracleSet oracles = OracleSet::all();
  std::uint64_t size = 60;     // instructions of a program, about
  std::uint64_t chain = 8;     // passes in a pipeline, at most
  std::uint64_t fuel = 20'000; // steps of a run
  std::uint64_t mutant = 0;    // the seeded bug; 0: none
  std::string engines;         // names, separated by commas
  std::string under_test;      // what `passes` stands for: Transform::text, one a line
  std::string tool;            // the version of the program

  std::uint64_t batches() const { return programs / batch + (programs % batch != 0 ? 1 : 0); }
  // The first case of a batch, and the one after its last.
  std::uint64_t first(std::uint64_t b) const { return b * batch; }
  std::uint64_t end(std::uint64_t b) const {
    return b + 1 == batches() ? programs : (b + 1) * batch;
  }

  friend bool operator==(const CampaignPlan&, const CampaignPlan&) = default;
};

// The seed of a case depends on nothing else: not on batches, jobs or shards.
std::uint64_t case_seed(std::uint64_t campaign_seed, std::uint64_t index);

// As text by name ("seed": "1"), for databases and replay files.
using PlanTexts = std::map<std::string, std::string>;
PlanTexts plan_texts(const CampaignPlan& plan);
// Error: what is wrong.
Result<CampaignPlan> read_plan(const PlanTexts& texts);

// "seed is 1 there and 2 here, size is ..."; empty: they are the same.
std::string plan_difference(const CampaignPlan& there, const CampaignPlan& here);

// "claims,structure"; all of them: "all".
std::string print_oracles(OracleSet oracles);
Result<OracleSet> parse_oracles(std::string_view text);

// A part of a campaign that runs separately: the batches b with b % of == number - 1.
struct Shard {
  std::uint64_t number = 1, of = 1;

  bool whole() const { return of == 1; }
  bool has(std::uint64_t b) const { return b % of == number - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};
// "3/10". Error: what is wrong with the text.
Result<Shard> parse_shard(std::string_view text);

} // namespace sourir
