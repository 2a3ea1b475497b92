// Transforms of campaigns change many of the cases that are generated for them, after the passes
// that come before them in the pipelines.
#include "sourir/fuzz/fuzz_case.h"
#include "sourir/fuzz/pass_transforms.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace sourir {
namespace {

constexpr std::uint64_t kCases = 200;

// The program that the last one of the pipeline gets; whether that changes it.
bool fires(FuzzCase& fuzz_case, const FuzzPlan& plan) {
  Program program = fuzz_case.program;
  bool changed = false;
  for (const std::size_t i : fuzz_case.pipeline) {
    auto done = plan.transforms[i].run(
        {program, fuzz_case.names, fuzz_case.inputs, fuzz_case.feedback_seed});
    changed = done && *done;
    if (changed) program = std::move((*done)->program);
  }
  return changed;
}

TEST(FuzzCaseFires, InAQuarterOfItsCases) {
  FuzzPlan plan = with_transforms({}, std::get<PassTransforms>(pass_transforms("all")));
  for (std::size_t under_test = 0; under_test < plan.transforms.size(); ++under_test) {
    plan.under_test = {under_test};
    std::uint64_t fired = 0;
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
      ChoiceSequence choices(seed);
      fired += fires(*make_case(choices, plan), plan) ? 1 : 0;
    }
    const std::string& text = plan.transforms[under_test].text;
    std::printf("  %-36s %3d %%\n", text.c_str(), static_cast<int>(100 * fired / kCases));
    EXPECT_GE(fired * 4, kCases) << text;
  }
}

} // namespace
} // namespace sourir
