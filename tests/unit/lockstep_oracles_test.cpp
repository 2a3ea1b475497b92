// The oracle that finds each difference, and the verdict when that oracle is switched off.
#include "sourir/bisim/reference_run.h"
#include "tests/unit/lockstep_fixture.h"

#include <fmt/format.h>

namespace sourir {
namespace {

class LockstepOracles : public testing::LockstepFixture {
protected:
  // Different by that oracle alone: with it switched off nothing is said.
  void only(Oracle oracle, const std::string& kind, auto&& checked) {
    options.oracles = {};
    options.oracles.set(oracle);
    const LockstepVerdict with = checked();
    EXPECT_EQ(with.agreement, Agreement::Different) << name_of(oracle);
    EXPECT_EQ(with.oracle, oracle);
    EXPECT_EQ(with.kind, kind);
    options.oracles = OracleSet::all().set(oracle, false);
    const LockstepVerdict without = checked();
    EXPECT_NE(without.agreement, Agreement::Different) << name_of(oracle) << without.report;
  }
};

TEST_F(LockstepOracles, Events) {
  options.schedules = 0;
  only(Oracle::Events, "events:stop/print", [&] { return check("print 1\nstop\n", "stop\n"); });
  only(Oracle::Events, "events:stuck(wrong-type)/stop",
       [&] { return check("stop\n", "var x = (1 + nil)\nstop\n"); });
}

TEST_F(LockstepOracles, ForcedExits) {
  const std::string wrong = example("fig_2_07_show_wrong.sou");
  const std::string right = testing::replaced(wrong, "[var x = 42]", "[var x = x]");
  ASSERT_NE(right, wrong);
  const auto checked = [&] { return check(right, wrong); };
  const LockstepVerdict verdict = checked();
  EXPECT_EQ(verdict.agreement, Agreement::Different);
  options.oracles = OracleSet().set(Oracle::ForcedExits);
  EXPECT_EQ(checked().kind, "exits:print/print");
  EXPECT_EQ(checked().oracle, Oracle::ForcedExits);
  options.oracles = OracleSet().set(Oracle::Events);
  EXPECT_EQ(checked().agreement, Agreement::Equivalent);
}

TEST_F(LockstepOracles, States) {
  options.mapped_exits = 0;
  only(Oracle::States, "states:var",
       [&] { return check_fast({{3, "3 [var n = n, var x = 4, var y = y]"}}); });
  only(Oracle::States, "states:no-value",
       [&] { return check_fast({{4, "4 [var n = n, var x = x, var y = (x[0]), var s = s]"}}); });
}

TEST_F(LockstepOracles, MappedExits) {
  options.all_states = 1; // what is compared is the first one
  only(Oracle::MappedExits, "map-exits:print/print",
       [&] { return check_fast({{3, "3 [var n = n, var x = 4, var y = y]"}}); });
  only(Oracle::MappedExits, "map-exits:no-value",
       [&] { return check_fast({{4, "4 [var n = n, var x = x, var y = (x[0]), var s = s]"}}); });
}

// The last step that the map speaks of is the one after which nothing differs any more.
TEST_F(LockstepOracles, MappedExitsWhereTheScheduleSays) {
  const auto wrong = [&] { return check_fast({{3, "3 [var n = n, var x = 4, var y = y]"}}); };
  options.oracles = OracleSet().set(Oracle::MappedExits);
  // main.base+0; F.fast+0, +1, +2, +3 (the assume) before steps 1 to 5, and once more from 9 on.
  std::uint64_t different = 0;
  for (const char* const deopt : {"map:at:1", "map:at:2", "map:at:3", "map:at:4", "map:at:6"}) {
    options.deopt = {deopt};
    const LockstepVerdict verdict = wrong();
    EXPECT_EQ(verdict.mapped_exits, 1U) << deopt;
    different += verdict.agreement == Agreement::Different;
  }
  EXPECT_EQ(different, 0U);
  for (const char* const deopt : {"map:at:5", "map:each", "map:every:5", "map:p:1:1"}) {
    options.deopt = {deopt};
    const LockstepVerdict verdict = wrong();
    EXPECT_EQ(verdict.agreement, Agreement::Different) << deopt;
    ASSERT_TRUE(verdict.counterexample) << deopt;
    EXPECT_EQ(verdict.counterexample->deopt, "map:at:5");
  }
}

// As many positions are left as the schedule asks for: of the steps of a run of a program that is
// mapped to itself, where each position is.
TEST_F(LockstepOracles, MappedExitsInjectedAreObserved) {
  const Program loop = program("var i = 0\ngoto L\nL:\nbranch (i < 9) $more $done\n$more:\n"
                               "i <- (i + 1)\nprint i\ngoto L\n$done:\nstop\n");
  LinkedProgram linked(loop, names);
  const std::uint64_t steps = reference_run(linked, {}, Schedule{}, Limits{}, names).steps;
  ASSERT_GT(steps, 30U);
  const auto left = [&](const std::string& deopt) {
    options.deopt = {deopt};
    const LockstepVerdict verdict = check_lockstep(loop, loop, {}, reads, options, names);
    EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << deopt;
    return verdict.mapped_exits;
  };
  EXPECT_EQ(left("map:each"), steps);
  EXPECT_EQ(left("map:p:1:7"), steps);
  EXPECT_EQ(left("map:p:0:7"), 0U);
  for (const std::uint64_t k : {2, 3, 7})
    EXPECT_EQ(left(fmt::format("map:every:{}", k)), steps / k) << k;
  EXPECT_EQ(left("map:at:1,5,12"), 3U);
  EXPECT_EQ(left(fmt::format("map:at:{},{}", steps, steps + 1)), 1U);
}

// A position that the map does not speak of is left at the next one.
TEST_F(LockstepOracles, MappedExitsGoOnToTheNextPosition) {
  options.oracles = OracleSet().set(Oracle::MappedExits);
  options.deopt = {"map:at:4"};
  const LockstepVerdict verdict =
      check_fast({{2, "?"}, {3, "3 [var n = n, var x = 4, var y = y]"}});
  ASSERT_TRUE(verdict.counterexample);
  EXPECT_EQ(verdict.counterexample->deopt, "map:at:5");
}

TEST_F(LockstepOracles, OwnExits) {
  const std::string text = example("33_outer_frame.sou");
  const std::string wrong =
      testing::replaced(text, "(sum_of_squares, base, first) [var p = $, var a = a, var b = b]",
                        "(sum_of_squares, base, first) [var p = $, var a = a, var b = a]");
  ASSERT_NE(wrong, text);
  options.oracles = OracleSet().set(Oracle::OwnExits);
  const LockstepVerdict verdict = check(text, wrong);
  EXPECT_EQ(verdict.kind, "own-exits:assume") << verdict.report;
}

TEST_F(LockstepOracles, Divergence) {
  only(Oracle::Divergence, "diverge:goto",
       [&] { return check("print 1\n", "print 1\ngoto L\nL: goto L\n"); });
}

// Both print for ever; the one with more steps a round uses up its fuel first.
TEST_F(LockstepOracles, PrintingForEverIsNoDivergence) {
  options.fuel = 1'000;
  const std::string few = "function main()\nL:\n  print 1\n  goto L\n";
  const std::string many = "function main()\nL:\n  print 1\n  goto M\nM:\n  goto N\nN:\n  goto L\n";
  EXPECT_EQ(check(many, few).agreement, Agreement::Inconclusive);
  EXPECT_EQ(check(few, many).agreement, Agreement::Inconclusive);
}

TEST_F(LockstepOracles, DivergenceOfTheInputToo) {
  // Two exits that lead to each other: always leaving never ends, in the input as in the output.
  const std::string text = R"(function main()
version one
>a:
  assume [] else (main, two, b) []
  print 1
  stop
version two
>b:
  assume [] else (main, one, a) []
  print 1
  stop
)";
  EXPECT_EQ(check(text, text).agreement, Agreement::Inconclusive) << check(text, text).report;
}

TEST_F(LockstepOracles, DeoptBound) {
  const auto checked = [&] {
    return check("var x = 1\nprint 1\n",
                 "var x = 1\nL: assume [(x == 0)] else (main, anon, L) [var x = (x + 1)]\n"
                 "print 1\n");
  };
  only(Oracle::DeoptBound, "deopt-bound:assume", checked);
}

} // namespace
} // namespace sourir
