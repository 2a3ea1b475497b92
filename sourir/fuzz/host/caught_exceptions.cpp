#include "sourir/fuzz/host/caught_exceptions.h"

#include <exception>

namespace sourir {
namespace {

// The same function, with exceptions as errors.
template <class Run>
Run caught_run(Run run) {
  return [run = std::move(run)](const auto& input) -> typename Run::result_type {
    try {
      return run(input);
    } catch (const std::exception& error) {
      return failure("{}", error.what());
    }
  };
}

} // namespace

FuzzPlan caught(FuzzPlan plan) {
  for (Transform& transform : plan.transforms) transform.run = caught_run(std::move(transform.run));
  for (EngineRow& engine : plan.engines) engine.run = caught_run(std::move(engine.run));
  return plan;
}

void try_numbered_case_caught(std::uint64_t index, const CampaignConfig& campaign,
                              BatchResult& result) {
  try {
    try_numbered_case(index, campaign, result);
  } catch (const std::exception& error) {
    CampaignFinding found{index, "crash", "", error.what(), std::nullopt};
    std::vector<std::uint32_t> choices;
    const auto fuzz_case = numbered_case(index, campaign, &choices);
    found.kept = replay_case(index, campaign, *fuzz_case, choices);
    found.kept->oracle = found.oracle;
    found.kept->kind = found.kept->report = found.kind;
    add_lost_case(std::move(found), result);
  }
}

} // namespace sourir
