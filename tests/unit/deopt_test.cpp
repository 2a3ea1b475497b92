// Deoptimization in the reference: varmaps, outer frames, materialized arrays, and schedules of
// forced exits.
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using Lines = std::vector<std::string>;

TEST(Deopt, TheVarmapIsSimultaneous) {
  Running r(R"(
function main()
version opt
var x = 1
var y = 2
assume [false] else (main, base, at)[var x = y, var y = x]
stop
version base
var x = 1
var y = 2
>at:
print x
print y
stop
)");
  r.run();
  EXPECT_EQ(r.lines, (Lines{"2", "1"}));
}

// Three levels: the frames return from the innermost outwards, as the calls would have.
const char* const kThreeLevels = R"(
function main()
version opt
var a = 1
assume [(a == 2)] else (inner, v, at)[var c = 30], (middle, v, back)[var r = $, var b = 20], (main, base, back)[var r = $, var a = a]
print "not here"
stop
version base
var a = 1
call r = 'middle()
>back:
print a
print r
stop
function middle()
version v
var b = 2
call r = 'inner()
>back:
print b
return (r + 1)
function inner()
version v
var c = 3
>at:
print c
return c
)";

TEST(Deopt, OuterFramesReturnInOrder) {
  Running r(kThreeLevels);
  const Outcome outcome = r.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Stop);
  EXPECT_EQ(r.lines, (Lines{"30", "20", "1", "31"}));
  EXPECT_EQ(r.statistics.max_depth, 3u);
}

TEST(Deopt, SteppingBackOverOuterFramesIsExact) {
  Running r(kThreeLevels);
  History h(r.start());
  std::vector<Config> seen{h.config()};
  while (h.forward().status == StepStatus::Stepped) seen.push_back(h.config());
  seen.push_back(h.config());
  for (std::size_t i = seen.size(); i > 0; --i) {
    EXPECT_TRUE(same_state(h.config(), seen[i - 1])) << "at step " << i - 1;
    EXPECT_EQ(h.back(), i > 1);
  }
}

TEST(Deopt, ADeferredArrayIsSharedByTheFramesThatNameIt) {
  Running r(R"(
function main()
version opt
var z = 3
assume [false] else (f, v, at)[var a = arr], (main, base, back)[var r = $, var a = arr] with {
var t = (z * 2)
array arr = [t, 0]
arr[1] <- z
}
stop
version base
array a = [0, 0]
call r = 'f(a)
>back:
print a
print r
stop
function f(var a)
version v
>at:
a[0] <- 7
return a
)");
  const Outcome outcome = r.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Stop);
  EXPECT_EQ(r.lines, (Lines{"[7, 3]", "[7, 3]"}));
}

const char* const kLoop = R"(
function main()
version opt
var i = 0
goto loop
loop:
branch (i < 6) $body $done
$body:
anchor else (main, base, body)[var i = i]
print i
i <- (i + 1)
goto loop
$done:
stop
version base
var i = 0
goto loop
loop:
branch (i < 6) $more $done
$more:
goto body
body:
print i
i <- (i + 1)
goto loop
$done:
stop
)";

struct Forced {
  const char* deopt;
  std::uint64_t opportunities, forced;
};

class Schedules : public ::testing::TestWithParam<Forced> {};

TEST_P(Schedules, ExitAsOftenAsAsked) {
  Running r(kLoop, {}, GetParam().deopt);
  r.run();
  EXPECT_EQ(r.lines, (Lines{"0", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(r.statistics.opportunities, GetParam().opportunities);
  EXPECT_EQ(r.statistics.forced, GetParam().forced);
}

INSTANTIATE_TEST_SUITE_P(All, Schedules,
                         ::testing::Values(Forced{"never", 6, 0}, Forced{"always", 1, 1},
                                           Forced{"every:3", 3, 1}, Forced{"every:7", 6, 0},
                                           Forced{"at:2", 2, 1}, Forced{"at:7,9", 6, 0},
                                           Forced{"at:main.opt.body", 1, 1}, Forced{"calls", 6, 0},
                                           Forced{"p:0:1", 6, 0}, Forced{"p:1:1", 1, 1}));

TEST(Schedule, CallsExitsAtTheFirstOpportunityAfterEachReturn) {
  Running r(R"(
function main()
version opt
var n = 0
anchor else (main, base, a)[var n = n]
call x = 'f()
anchor else (main, base, b)[var n = n, var x = x]
anchor else (main, base, b)[var n = n, var x = x]
print n
stop
version base
var n = 0
>a:
call x = 'f()
>b:
print "left"
stop
function f()
return 1
)",
            {}, "calls");
  r.run();
  EXPECT_EQ(r.lines, Lines{"\"left\""});
  EXPECT_EQ(r.statistics.opportunities, 2u);
}

TEST(Schedule, RefusesWhatItCannotRead) {
  Names names;
  for (const char* bad :
       {"",        "sometimes", "every:0",  "every:",      "every:x",   "p:2:1",       "p:0.5",
        "p:nan:1", "at:",       "at:0",     "at:x",        "at:1,",     "always:1",    "map",
        "map:",    "map:never", "map:at:0", "map:every:x", "map:p:2:1", "map:map:at:1"})
    EXPECT_FALSE(parse_schedule(bad, names).has_value()) << bad;
  for (const char* good :
       {"never", "always", "calls", "each", "pairs", "every:3", "p:0.5:7", "at:1,5,main.v.l",
        "at:f.v+3", "map:each", "map:every:2", "map:p:0.5:7", "map:at:3,main.v.l"})
    EXPECT_TRUE(parse_schedule(good, names).has_value()) << good;
}

TEST(Schedule, NoExitIsForcedBeforeTheNextPossibleOne) {
  Names names;
  for (const char* text :
       {"always", "every:3", "every:1", "p:0.01:7", "p:0.0001:1", "p:1:2", "calls", "at:1,5,6,9000",
        "at:2,main.v.l", "never", "every:18446744073709551615", "at:18446744073709551615"}) {
    const Schedule schedule = *parse_schedule(text, names);
    std::uint64_t n = 1, forced = 0, asked = 0;
    for (; n < 20'000; ++asked) {
      forced += schedule.forces_exit(n, false, nullptr, 0);
      const std::uint64_t next = schedule.next_possible(n);
      ASSERT_GT(next, n) << text;
      ASSERT_LE(next, n + 4096) << text;
      for (++n; n < next; ++n) EXPECT_FALSE(schedule.forces_exit(n, false, nullptr, 0)) << text;
    }
    std::uint64_t all = 0;
    for (std::uint64_t i = 1; i < n; ++i) all += schedule.forces_exit(i, false, nullptr, 0);
    EXPECT_EQ(forced, all) << text;
    const bool is_rare = std::string_view(text).starts_with("p:0.");
    EXPECT_LT(asked, is_rare ? 400U : 20'000U) << text;
  }
}

} // namespace
} // namespace sourir::testing
