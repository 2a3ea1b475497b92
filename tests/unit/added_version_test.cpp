// Optimized versions that the tiers add: their type feedback, and requests without a result.
#include "native/tiering/pass_optimizer.h"

#include "sourir/passes/run_pipeline.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

constexpr const char* kProgram = R"(function main()
  call x = 'twice(7)
  print x
  stop
function twice(var n)
  call a = 'inc(n)
  call b = 'inc(a)
  return (a + b)
function inc(var i)
  var j = (i + 1)
  return j
)";

std::optional<OptimizedProgram> optimize(const OptimizerRequest& r) {
  auto made = optimize_function(r.program, r.function, r.feedback,
                                std::get<Pipeline>(parse_pipeline("O2")), r.names);
  if (!made) return std::nullopt;
  return OptimizedProgram{std::move(made->program), std::move(made->map)};
}

// What was seen follows instructions, also into what was inlined.
TEST(OptimizedVersions, TypeFeedbackFollows) {
  testing::Running running(kProgram);
  Names& names = running.names();
  const FunName inc = names.intern<FunName>("inc");
  std::vector<SiteFeedback> seen(2);
  seen[0].result = type_set(Tag::Float);
  const auto sites_of = [&](const ResolvedVersion& code) {
    return code.function == inc ? std::span<const SiteFeedback>(seen)
                                : std::span<const SiteFeedback>();
  };
  const auto added = optimize_version(running.program(), names.intern<FunName>("twice"), {}, {},
                                      sites_of, optimize, names);
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->code().version, names.intern<VerName>("opt"));
  std::size_t floats = 0;
  for (const SiteFeedback& site : added->sites) floats += site.result == type_set(Tag::Float);
  EXPECT_EQ(floats, 2U); // both calls of inc are inlined
}

TEST(OptimizedVersions, NothingToGain) {
  testing::Running running(kProgram);
  Names& names = running.names();
  const auto none = [](const OptimizerRequest&) { return std::optional<OptimizedProgram>(); };
  EXPECT_EQ(optimize_version(
                running.program(), names.intern<FunName>("inc"), {}, {},
                [](const ResolvedVersion&) { return std::span<const SiteFeedback>(); }, none,
                names),
            nullptr);
}

} // namespace
} // namespace sourir::native
