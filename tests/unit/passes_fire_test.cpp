// Each pass changes some of the programs that are generated for it: random programs with all
// features, after passes that prepare them. Other programs: --gtest_random_seed=N.
#include "sourir/bisim/generate/random_program.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"
#include "sourir/passes/run_pipeline.h"

#include <gtest/gtest.h>

#include <map>

namespace sourir {
namespace {

// What a pass needs before; nothing: the program as it is.
const std::map<std::string_view, const char*> kBefore = {
    {"clear-dead", "fresh-version,checkpoints"},
    {"compose-assumes", "fresh-version,checkpoints:as=assume,fresh-version:name=second"},
    {"drop-assumes", "fresh-version,checkpoints:as=assume"},
    {"hoist-predicates", "fresh-version,checkpoints,speculate:branches=true"},
    {"insert-from-anchor", "fresh-version,checkpoints"},
    {"late-declarations", "inline:max-size=200:max-total=2000,copyprop,dce"},
    {"lower-anchors", "fresh-version,checkpoints"},
    {"move-assumes", "fresh-version,checkpoints:as=assume"},
    {"deferred-materialization", "fresh-version,checkpoints:everywhere,constprop"},
    {"speculate", "fresh-version,checkpoints"},
    {"undo", "fresh-version,checkpoints,speculate:branches=true"},
    {"unreachable", "fresh-version,constprop"},
};
// Few programs have hints.
const std::map<std::string_view, const char*> kOptions = {{"speculate", ":branches=true"},
                                                          {"insert-from-anchor", ":branches=true"}};

Policy policy_for(std::string_view pass) {
  Policy policy = full_policy(150);
  if (pass == "normalize") policy.set(Feature::NotNormal);
  if (pass == "unreachable" || pass == "deferred-materialization")
    policy.set(Feature::Assumes, false).set(Feature::Anchors, false);
  // A program that lacks most features does more with those it has.
  if (pass == "licm" || pass == "load-elimination") {
    policy.features = 0;
    policy.size = 300;
    policy.set(Feature::Loops).set(Feature::Branches);
    if (pass == "load-elimination") policy.set(Feature::Arrays).set(Feature::Nested);
  }
  return policy;
}

class PassFires : public ::testing::TestWithParam<std::string_view> {};

TEST_P(PassFires, InAThirdOfThePrograms) {
  static constexpr std::uint64_t kPrograms = 50;
  const auto name = GetParam();
  const auto options = kOptions.find(name);
  const std::string text = std::string(name) + (options == kOptions.end() ? "" : options->second);
  std::uint64_t fired = 0;
  const auto first = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * kPrograms;
  for (std::uint64_t seed = first; seed < first + kPrograms; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Policy policy = policy_for(name);
    Program program = random_case(choices, policy, names).program;
    const auto run = [&](const std::string& pipeline) {
      return run_pipeline(std::get<Pipeline>(parse_pipeline(pipeline)), program, names, {});
    };
    if (const auto before = kBefore.find(name); before != kBefore.end())
      program = run(before->second).program;
    fired += run(text).program != program ? 1 : 0;
  }
  RecordProperty("percent", static_cast<int>(100 * fired / kPrograms));
  EXPECT_GE(fired * 10, kPrograms * 3);
}

std::vector<std::string_view> names_of_passes() {
  std::vector<std::string_view> names;
  // These need feedback; pass_campaign runs them with what a run has seen.
  for (const PassRow& row : all_passes())
    if (row.name != "split" && row.name != "guard-results") names.push_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Passes, PassFires, ::testing::ValuesIn(names_of_passes()),
                         [](const auto& row) {
                           std::string name(row.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace sourir
