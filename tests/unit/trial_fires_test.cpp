// Each transform of a campaign finds work in a good part of the cases that are made for it, after
// whatever comes before it in their pipelines.
#include "sourir/fuzz/pass_transforms.h"
#include "sourir/fuzz/trial.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace sourir {
namespace {

constexpr std::uint64_t kCases = 200;

// The program that the last one of the pipeline gets; whether that changes it.
bool fires(TrialCase& trial, const TrialPlan& plan) {
  Program program = trial.program;
  bool changed = false;
  for (const std::size_t i : trial.pipeline) {
    auto done = plan.transforms[i].run({program, trial.names, trial.inputs, trial.feedback_seed});
    changed = done.has_value();
    if (done) program = std::move(done->program);
  }
  return changed;
}

TEST(TrialFires, InAThirdOfItsCases) {
  TrialPlan plan = with_transforms({}, std::get<PassTransforms>(pass_transforms("all")));
  for (std::size_t looked_at = 0; looked_at < plan.transforms.size(); ++looked_at) {
    plan.looked_at = {looked_at};
    std::uint64_t fired = 0;
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
      Tape tape(seed);
      fired += fires(*make_case(tape, plan), plan) ? 1 : 0;
    }
    const std::string& text = plan.transforms[looked_at].text;
    std::printf("  %-36s %3d %%\n", text.c_str(), static_cast<int>(100 * fired / kCases));
    EXPECT_GE(fired * 10, kCases * 3) << text;
  }
}

} // namespace
} // namespace sourir
