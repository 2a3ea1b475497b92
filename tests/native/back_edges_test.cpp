// Which back edges need no polls (native/tiering/back_edges.h).
#include "native/tiering/back_edges.h"

#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

using sourir::testing::Running;

// Positions: 0 branch of the head, 1 branch, 2 and 3 the short way back, 4 to 6 the way with a
// call.
constexpr const char* kScheduler = R"(
function main()
  stop
function f(var x, var y)
loop:
  branch (x == nil) $end $some
$some:
  branch (x == y) $next $work
$next:
  x <- (x + 1)
  goto loop
$work:
  call r = 'f(x, x)
  drop r
  goto loop
$end:
  return x
)";

std::vector<Pc> without_polls(std::uint32_t taken, std::uint32_t not_taken) {
  Running running(kScheduler);
  const auto f = running.names().intern<FunName>("f");
  const ResolvedVersion& code = *running.program().function(f)->dispatch.front();
  std::vector<SiteFeedback> sites(code.instrs.size());
  sites[1].taken = taken;
  sites[1].not_taken = not_taken;
  return back_edges_without_polls(code, 0, sites);
}

constexpr Pc kShort = 3, kWithCall = 6;

TEST(BackEdges, LongIterationsPoll) {
  EXPECT_EQ(without_polls(100, 100), std::vector{kShort});
  EXPECT_EQ(without_polls(600, 100), std::vector{kShort});
}

TEST(BackEdges, RareIterationsAreNotEnough) {
  EXPECT_EQ(without_polls(800, 100), std::vector{kWithCall});
}

TEST(BackEdges, AllPollWhereNothingIsKnown) { EXPECT_EQ(without_polls(0, 0), std::vector<Pc>()); }

} // namespace
} // namespace sourir::native
