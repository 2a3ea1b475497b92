// Single cases, each made or tried in a process of its own: a case that crashes or hangs is an
// outcome like any other. Functions throw NoProcess (process.h) where no process can be started.
#pragma once

#include "sourir/fuzz/campaign_case.h"
#include "sourir/syntax/result.h"

#include <functional>

namespace sourir {

struct CaseOutcome {
  std::string what;                            // "passed", "inconclusive", "counterexample"
  std::string oracle, transform, kind, report; // of a counterexample; "crash" and "hang", too
};

// Precondition: case_of() accepts the replay. `seconds` 0: no limit.
CaseOutcome try_isolated(const ReplayCase& replay, const CampaignConfig& campaign,
                         std::uint64_t seconds);
// The case of these choices, or of this number: as text. Error: making it ends its process.
Result<ReplayCase> make_isolated(const std::vector<std::uint32_t>& choices, std::uint64_t index,
                                 const CampaignConfig& campaign);
Result<ReplayCase> make_isolated(std::uint64_t index, const CampaignConfig& campaign);

struct ShrinkLimits {
  std::uint64_t tries = 5'000, seconds = 60;
  // From time to time: the cases tried, and the instructions of the smallest one. May be empty.
  std::function<void(std::uint64_t tried, std::uint64_t instructions)> progress = {};
};
struct ShrunkCase {
  ReplayCase replay; // the smallest so far with the same kind of counterexample; at worst the same
  std::uint64_t tried = 0;
  enum class End : std::uint8_t { Done, OutOfTime, Interrupted } end = End::Done;
};
ShrunkCase shrink_isolated(const ReplayCase& replay, const CampaignConfig& campaign,
                           const CaseOutcome& outcome, const ShrinkLimits& limits);

// Instructions of its program; 0: it has none that can be read.
std::uint64_t instructions_of(const ReplayCase& replay, const CampaignConfig& campaign);

} // namespace sourir
