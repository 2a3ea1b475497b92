// Runs of the reference at its limits: depth, output, nested arrays, extreme integers and
// comparisons.
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using Lines = std::vector<std::string>;

const char* const kRecursion = R"(
call r = 'down(N)
print r
stop
function down(var n)
branch (n == 0) $base $step
$base:
return 0
$step:
call r = 'down((n - 1))
return (r + 1)
)";

std::string recursion(const std::string& depth) {
  std::string text = kRecursion;
  return text.replace(text.find('N'), 1, depth);
}

TEST(Run, RecursesAMillionDeep) {
  Running r(recursion("1000000"));
  EXPECT_EQ(r.run().kind, OutcomeKind::Stop);
  EXPECT_EQ(r.lines, Lines{"1000000"});
  EXPECT_EQ(r.statistics.max_depth, 1000002u);
}

TEST(Run, TenMillionDeepReachesTheDepthLimit) {
  Running r(recursion("10000000"));
  const Outcome outcome = r.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Limit);
  EXPECT_EQ(outcome.limit, Limit::Depth);
  EXPECT_EQ(outcome.frames.size(), kReportedFrames);
  EXPECT_EQ(outcome.depth, 2000001u);
}

TEST(Run, ADeepRunThatIsAbandonedIsReleased) {
  Limits limits;
  limits.fuel = 1'900'000; // nearly at the bottom
  Running r(recursion("1000000"), {}, "never", limits);
  const Outcome outcome = r.run();
  EXPECT_EQ(outcome.limit, Limit::Fuel);
  EXPECT_GT(outcome.depth, 800'000u);
}

TEST(Run, DeeplyNestedArraysAreMadePrintedAndReleased) {
  Running r(R"(
array a[1]
var i = 0
goto loop
loop:
branch (i < 1000000) $body $done
$body:
array b[1]
b[0] <- a
a <- b
drop b
i <- (i + 1)
goto loop
$done:
print a
stop
)");
  EXPECT_EQ(r.run().kind, OutcomeKind::Stop);
  ASSERT_EQ(r.lines.size(), 1u);
  EXPECT_EQ(r.lines[0].size(), 2u * 1000001 + 3); // brackets around nil
}

TEST(Run, PrintingWhatSharesStructureReachesTheOutputLimit) {
  Limits limits;
  limits.output = 1'000'000;
  Running r(R"(
array a = [1]
var i = 0
goto loop
loop:
branch (i < 60) $body $done
$body:
array b = [a, a]
a <- b
drop b
i <- (i + 1)
goto loop
$done:
print a
)",
            {}, "never", limits);
  EXPECT_EQ(r.run().limit, Limit::Output);
}

TEST(Run, MinimumAndNegativeRemainders) {
  Running r(R"(
var m = -9223372036854775808
print (m / -1)
print (m % -1)
print (-7 / 2)
print (-7 % 2)
print (- m)
print (m - 1)
)");
  r.run();
  EXPECT_EQ(r.lines, (Lines{"-9223372036854775808", "0", "-3", "-1", "-9223372036854775808",
                            "9223372036854775807"}));
}

TEST(Run, MixedComparisonsAreExact) {
  Running r(R"(
var big = 9007199254740993
print (big == 9007199254740992.0)
print (big > 9007199254740992.0)
print (9223372036854775807 < 9223372036854775808.0)
print (1 == 1.0)
print (1 <= 1.0)
print (0.0 == -0.0)
)");
  r.run();
  EXPECT_EQ(r.lines, (Lines{"false", "true", "true", "false", "true", "true"}));
}

} // namespace
} // namespace sourir::testing
