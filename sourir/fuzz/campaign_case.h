// The cases of a campaign by number, the records kept of them, and the results of batches.
#pragma once

#include "sourir/fuzz/campaign_plan.h"
#include "sourir/fuzz/fuzz_case.h"
#include "sourir/syntax/result.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sourir {

// A case as text, independent of the generator that made it.
struct ReplayCase {
  PlanTexts plan;
  std::uint64_t index = 0;
  std::string choices; // print_choices
  std::string program;
  std::vector<std::string> inputs; // literals
  std::vector<std::string> pipeline;
  std::string deopt;
  std::uint64_t feedback_seed = 0;
  std::string oracle, transform, kind, report; // what was found; see CampaignFinding

  friend bool operator==(const ReplayCase&, const ReplayCase&) = default;
};

// Why a case counts as a counterexample: the report of an oracle, or the crash or hang of its
// process.
struct CampaignFinding {
  std::uint64_t index = 0;
  std::string oracle;    // name_of(Oracle), "crash" or "hang"
  std::string transform; // after which; empty: the program itself was at fault
  std::string kind;      // the same for what is probably the same bug
  std::optional<ReplayCase> kept;
};
// Equal for findings of one kind.
std::string finding_key(const CampaignFinding& finding);

// Of so many findings of one kind in a batch everything is kept; of others, only that they exist.
inline constexpr std::uint64_t kKeptOfKind = 10;

struct BatchResult {
  std::uint64_t batch = 0, programs = 0;
  Counters counters;
  std::vector<CampaignFinding> findings;
  std::map<std::string, std::uint64_t> kept; // how many, by finding_key()
};

// What the cases of a campaign are tried with.
struct CampaignConfig {
  CampaignPlan plan;
  FuzzPlan fuzz;
};
// `transforms` and those of them that are under test (empty: all) are those that the plan names.
CampaignConfig campaign_config(const CampaignPlan& plan, std::vector<Transform> transforms,
                               std::vector<std::size_t> under_test);

std::unique_ptr<FuzzCase> numbered_case(std::uint64_t index, const CampaignConfig& campaign,
                                        std::vector<std::uint32_t>* choices = nullptr);
ReplayCase replay_case(std::uint64_t index, const CampaignConfig& campaign,
                       const FuzzCase& fuzz_case, const std::vector<std::uint32_t>& choices);

// Tries a case and adds its result.
void try_numbered_case(std::uint64_t index, const CampaignConfig& campaign, BatchResult& result);

// Adds a case whose process crashed or hung; `oracle` is "crash" or "hang".
void add_lost_case(CampaignFinding finding, BatchResult& result);

// The case that the text stands for, with its pipeline in `transforms`; or what is wrong with it.
Result<std::unique_ptr<FuzzCase>> case_of(const ReplayCase& replay,
                                          const std::vector<Transform>& transforms);

} // namespace sourir
