// The presets on random programs: the result is well-formed, in normal form if the input was, and
// in lock step with the input through the composed state map, with forced exits. O1 and O2 do not
// change their own results. Other programs: --gtest_random_seed=N.
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"
#include "tests/unit/shown.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

std::size_t errors_of(const Program& program, const Names& names, bool normal_form) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  if (normal_form) check_normal_form(program, {}, names, problems);
  return problems.errors();
}

PipelineResult optimized(const char* preset, const Program& program, Names& names) {
  const auto parsed = parse_pipeline(preset);
  PipelineHooks hooks;
  hooks.compose_maps = true;
  return run_pipeline(std::get<Pipeline>(parsed), program, names, Feedback{}, hooks);
}

class PresetOnRandomPrograms : public ::testing::TestWithParam<const char*> {};

TEST_P(PresetOnRandomPrograms, BehavesTheSame) {
  static constexpr std::uint64_t kPrograms = 60;
  const auto first = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * kPrograms;
  std::uint64_t changed = 0, inconclusive = 0, states = 0;
  for (std::uint64_t seed = first; seed < first + kPrograms; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Policy policy = random_policy(choices, 80);
    const RandomCase random = random_case(choices, policy, names);
    const bool normal = errors_of(random.program, names, true) == 0;
    const PipelineResult result = optimized(GetParam(), random.program, names);
    changed += result.program != random.program ? 1 : 0;
    ASSERT_EQ(errors_of(result.program, names, normal), 0U)
        << seed << "\n"
        << print(random.program, names) << "=>\n"
        << print(result.program, names);
    for (const char* const deopt : {"never", "p:0.5:1"}) {
      const auto before = testing::shown(random.program, names, random, deopt);
      const auto after = testing::shown(result.program, names, random, deopt);
      if (!before || !after) continue;
      ASSERT_EQ(*before, *after) << seed << "\n" << print(random.program, names);
    }
    const LockstepVerdict verdict =
        check_lockstep(random.program, result.program, *result.map, {random.inputs}, {}, names);
    ASSERT_NE(verdict.agreement, Agreement::Different) << seed << "\n"
                                                       << verdict.report << "\n"
                                                       << print(random.program, names) << "=>\n"
                                                       << print(result.program, names);
    inconclusive += verdict.agreement == Agreement::Inconclusive ? 1 : 0;
    states += verdict.states;
  }
  RecordProperty("changed", static_cast<int>(changed));
  EXPECT_GE(changed, kPrograms / 3);
  EXPECT_LT(inconclusive, kPrograms / 4);
  EXPECT_GT(states, 0U);
}

class OwnResult : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnResult, IsLeftAsItIs) {
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::uint64_t kPrograms = 200; // which takes minutes otherwise
#else
  static constexpr std::uint64_t kPrograms = 2000;
#endif
  const auto first = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * kPrograms;
  for (std::uint64_t seed = first; seed < first + kPrograms; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Policy policy = random_policy(choices, 80);
    const Program program = random_case(choices, policy, names).program;
    const Program once = optimized(GetParam(), program, names).program;
    const Program twice = optimized(GetParam(), once, names).program;
    EXPECT_TRUE(once == twice) << seed << "\n"
                               << print(program, names) << "=>\n"
                               << print(once, names) << "=>\n"
                               << print(twice, names);
  }
}

// What a local pass remembers not to look at again in a pipeline, it would have left alone.
TEST_P(OwnResult, IsThatOfEachPassByItself) {
  static constexpr std::uint64_t kPrograms = 100;
  const auto first = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * kPrograms;
  for (std::uint64_t seed = first; seed < first + kPrograms; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Policy policy = random_policy(choices, 80);
    Program program = random_case(choices, policy, names).program;
    const PipelineResult at_once = optimized(GetParam(), program, names);
    for (const PassReport& report : at_once.reports) {
      PipelineResult alone = optimized(report.pass.c_str(), program, names);
      ASSERT_EQ(alone.reports.at(0).changed, report.changed) << seed << " " << report.pass << "\n"
                                                             << print(program, names);
      program = std::move(alone.program);
    }
    EXPECT_TRUE(program == at_once.program) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Passes, OwnResult, ::testing::Values("O1", "O2"),
                         [](const auto& row) { return std::string(row.param); });

INSTANTIATE_TEST_SUITE_P(Passes, PresetOnRandomPrograms, ::testing::Values("O1", "O2", "all"),
                         [](const auto& row) { return std::string(row.param); });

} // namespace
} // namespace sourir
