// The checks of one program, the runs that a schedule stands for, and the version that a call
// enters.
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/random_schedules.h"
#include "sourir/bisim/rematerialized_states.h"
#include "sourir/bisim/version_check.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/text/printer.h"
#include "tests/unit/lockstep_fixture.h"

namespace sourir {
namespace {

class BisimChecks : public testing::LockstepFixture {
protected:
  LockstepVerdict transparency(const Program& p, const std::vector<std::vector<Value>>& inputs) {
    options.events_only = true;
    options.as = Oracle::Transparency;
    options.deopt = {"each"};
    return check_lockstep(p, p, {}, inputs, options, names);
  }
  VersionsVerdict versions(const std::string& text) {
    return check_versions(program(text), {}, {{}}, {}, names);
  }
  std::string printed(const std::string& text, const std::string& deopt) {
    const Program p = program(text);
    const LinkedProgram linked(p, names);
    Input input(std::vector<Value>{}, names);
    Schedule schedule = *parse_schedule(deopt, names);
    EXPECT_TRUE(resolve(schedule, linked).has_value());
    const Limits limits;
    Config c = start(linked, input, schedule, limits);
    std::string out;
    run(c, {.print = [&](std::string_view line) { (out += line) += ' '; }});
    return out;
  }
  const std::string kTwo = R"(function main()
version base
  call a = 'f(1)
  call b = 'f(2)
  stop
version other
  print 7
  stop
function f(var n)
version pos when [(n > 1)]
  print 1
  return nil
version base
  print 2
  return nil
version late
  print 3
  return nil
version k cont L [n]
  print 4
  return nil
)";
};

TEST_F(BisimChecks, WhichVersionACallEnters) {
  EXPECT_EQ(printed(kTwo, "never"), "2 1 ");
  EXPECT_EQ(printed(kTwo, "enter:f.late"), "3 3 ");
  EXPECT_EQ(printed(kTwo, "enter:f.base"), "2 2 ");
  EXPECT_EQ(printed(kTwo, "enter:f.pos"), "2 1 "); // only where its context holds
  EXPECT_EQ(printed(kTwo, "enter:f.k"), "2 1 ");   // calls never enter it
  EXPECT_EQ(printed(kTwo, "enter:1:late"), "3 1 ");
  EXPECT_EQ(printed(kTwo, "enter:2:base"), "2 2 ");
  EXPECT_EQ(printed(kTwo, "enter:3:base"), "2 1 ");
  EXPECT_EQ(printed(kTwo, "enter:0:other"), "7 ");
  EXPECT_EQ(printed(kTwo, "enter:main.other"), "7 ");
  std::set<std::string> seen;
  for (int seed = 0; seed < 100; ++seed)
    seen.insert(printed(kTwo, "enter:any:" + std::to_string(seed)));
  EXPECT_EQ(seen, (std::set<std::string>{"7 ", "2 1 ", "2 2 ", "2 3 ", "3 1 ", "3 2 ", "3 3 "}));
}

TEST_F(BisimChecks, SchedulesThatAreNone) {
  for (const char* const text : {"enter", "enter:", "enter:any", "enter:any:x", "enter:f",
                                 "enter:f.", "enter:1:", "enter:-1:v", "enter:f.v.w", "enter:.v"})
    EXPECT_FALSE(parse_schedule(text, names).has_value()) << text;
  const Program p = program(kTwo);
  const LinkedProgram linked(p, names);
  Schedule none = *parse_schedule("enter:f.none", names);
  EXPECT_EQ(resolve(none, linked).error().message, "there is no version f.none in the program");
}

Opportunities at_one_place(std::uint64_t count) {
  Opportunities all;
  for (std::uint64_t i = 0; i < count; ++i) all.add(nullptr, 0);
  return all;
}

TEST_F(BisimChecks, RunsOfASchedule) {
  std::uint64_t random = 1;
  const auto count = [&](const char* deopt, std::uint64_t opportunities) {
    const auto runs = runs_of(deopt, at_one_place(opportunities), random);
    EXPECT_EQ(std::set(runs.begin(), runs.end()).size(), runs.size());
    for (const std::string& run : runs) EXPECT_TRUE(parse_schedule(run, names).has_value()) << run;
    return runs.size();
  };
  EXPECT_EQ(count("each", 0), 0U);
  EXPECT_EQ(count("each", 64), 64U);
  EXPECT_EQ(count("each", 1000), 64U);
  EXPECT_EQ(count("pairs", 1), 0U);
  EXPECT_EQ(count("pairs", 12), 66U);
  EXPECT_EQ(count("pairs", 1000), 64U);
  EXPECT_EQ(count("every:3", 1000), 1U);
  EXPECT_EQ(runs_of("each", at_one_place(2), random), (std::vector<std::string>{"at:1", "at:2"}));
  EXPECT_EQ(runs_of("pairs", at_one_place(2), random), std::vector<std::string>{"at:1,2"});
}

// A place that a run comes to once is tried beside one that it comes to a million times.
TEST_F(BisimChecks, OpportunitiesAreChosenByTheirPlace) {
  std::uint64_t random = 1;
  const auto different = [](const Opportunities& all, const std::vector<std::uint64_t>& chosen) {
    const std::set<std::uint64_t> numbers(chosen.begin(), chosen.end());
    EXPECT_EQ(numbers.size(), chosen.size());
    for (const std::uint64_t n : numbers) EXPECT_TRUE(n >= 1 && n <= all.count()) << n;
    return numbers;
  };
  const auto of_every_place = [&](const Opportunities& all, std::uint64_t most) {
    return different(all, all.choose_of_every_place(most, random));
  };
  const auto some_of = [&](const Opportunities& all, std::uint64_t most) {
    return different(all, all.choose(most, random));
  };
  Opportunities hot = at_one_place(500'000);
  hot.add(nullptr, 7); // number 500'001
  for (int i = 0; i < 500'000; ++i) hot.add(nullptr, 0);
  EXPECT_EQ(hot.places(), 2U);
  EXPECT_EQ(of_every_place(hot, 1), (std::set<std::uint64_t>{1, 500'001}));
  EXPECT_EQ(of_every_place(hot, 3), (std::set<std::uint64_t>{1, 500'001, 1'000'001}));
  for (const auto& more : {of_every_place(hot, 64), some_of(hot, 64)}) {
    EXPECT_EQ(more.size(), 64U);
    EXPECT_TRUE(more.contains(1) && more.contains(500'001) && more.contains(1'000'001));
  }
  Opportunities wide;
  for (Pc pc = 0; pc < 100; ++pc) wide.add(nullptr, pc);
  EXPECT_EQ(of_every_place(wide, 64).size(), 100U);
  const auto some = some_of(wide, 64);
  EXPECT_EQ(some.size(), 64U);
  EXPECT_NE(*some.rbegin(), 64U) << "drawn from all places";
  EXPECT_EQ(some_of(wide, 1000).size(), 100U);
  EXPECT_TRUE(of_every_place(Opportunities{}, 64).empty());
  EXPECT_TRUE(some_of(Opportunities{}, 64).empty());
}

// Random programs are right, whatever they do.
TEST_F(BisimChecks, RandomProgramsAreTransparentAndTheirVersionsAgree) {
  std::uint64_t forced = 0, entries = 0, generated = 0, states = 0, remarks = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ChoiceSequence choices(seed);
    const RandomCase random = random_case(choices, random_policy(choices, 80), names);
    const LockstepVerdict ways = transparency(random.program, {random.inputs});
    ASSERT_NE(ways.agreement, Agreement::Different) << "seed " << seed << "\n"
                                                    << ways.report << print(random.program, names);
    const LockstepVerdict rebuilt =
        check_rematerialized_states(random.program, random.inputs, options, names, 64);
    remarks += rebuilt.agreement == Agreement::Different;
    states += rebuilt.states;
    const VersionsVerdict entered = check_versions(random.program, {}, {random.inputs}, {}, names);
    ASSERT_NE(entered.verdict.agreement, Agreement::Different)
        << "seed " << seed << "\n"
        << entered.verdict.report << print(random.program, names);
    ASSERT_FALSE(ways.checker_failed || entered.verdict.checker_failed) << seed;
    forced += ways.forced;
    entries += entered.entries;
    generated += entered.generated;
  }
  EXPECT_GT(forced, 200U);
  EXPECT_GT(entries, 300U);
  EXPECT_GT(states, 100U);
  EXPECT_LT(remarks, 3U);
  EXPECT_GT(generated, 1000U);
}

// The second exit forgets what it should hand over, which nobody sees: the loop ends there.
TEST_F(BisimChecks, RebuiltFrames) {
  const std::string text = R"(function main()
version fast
  var i = 0
  var x = 5
>go:
  print i
  assume [] else (main, base, back) [var i = i, var x = x]
  print 7
  i <- 1
  assume [] else (main, base, again) [var i = i, var x = x]
  branch (i == 0) $more $end
$more:
  print x
  stop
$end:
  stop
version base
  var i = 0
  var x = 5
  print i
>back:
  print 7
  i <- 1
>again:
  branch (i == 0) $more $end
$more:
  print x
  stop
$end:
  stop
)";
  const auto rebuilt = [&](const std::string& x) {
    const Program p = program(testing::replaced(text, "again) [var i = i, var x = x]",
                                                "again) [var i = i, var x = " + x + "]"));
    EXPECT_EQ(transparency(p, {{}}).agreement, Agreement::Equivalent);
    return check_rematerialized_states(p, {}, options, names, 64);
  };
  EXPECT_EQ(rebuilt("x").agreement, Agreement::Equivalent) << rebuilt("x").report;
  EXPECT_EQ(rebuilt("x").states, 1U);
  const LockstepVerdict found = rebuilt("6");
  EXPECT_EQ(found.agreement, Agreement::Different);
  EXPECT_EQ(found.kind, "transparency:states");
  EXPECT_EQ(found.counterexample->deopt, "at:1");
}

TEST_F(BisimChecks, ActiveVersionMatters) {
  const VersionsVerdict all = versions(kTwo);
  EXPECT_EQ(all.verdict.agreement, Agreement::Different);
  EXPECT_EQ(all.verdict.oracle, Oracle::Versions);
  EXPECT_EQ(all.verdict.kind, "versions:print/print");
}

// Only an argument that no call of the program has tells the versions apart.
TEST_F(BisimChecks, GeneratedArguments) {
  const auto wrong = [&](const std::string& test) {
    return versions("function main()\n  call a = 'f(100)\n  print a\n  stop\n"
                    "function f(var x)\nversion fast\n  branch " +
                    test +
                    " $a $b\n$a:\n"
                    "  return 5\n$b:\n  return x\nversion base\n  return x\n");
  };
  const VersionsVerdict found = wrong("(x is bool)");
  EXPECT_EQ(found.verdict.agreement, Agreement::Different);
  ASSERT_TRUE(found.driver);
  const LockstepVerdict again =
      check_lockstep(*found.driver, *found.driver, {}, {{}},
                     {.deopt = {found.verdict.counterexample->deopt}, .events_only = true}, names);
  EXPECT_EQ(again.agreement, Agreement::Different);
  EXPECT_EQ(wrong("false").verdict.agreement, Agreement::Equivalent);
  // What it stores into an array that it is given is compared, too.
  const VersionsVerdict store =
      versions("function main()\n  stop\nfunction f(var x)\nversion fast\n  return nil\n"
               "version base\n  var n = 0\n  branch (x is array) $a $b\n$a:\n"
               "  n <- length(x)\n  branch (n == 3) $c $b\n$c:\n  x[0] <- 77\n  return nil\n$b:\n"
               "  return nil\n");
  EXPECT_EQ(store.verdict.agreement, Agreement::Different);
}

TEST_F(BisimChecks, AnExitThatFailsWhereTheGuardsHoldIsNoneThatMayBeTaken) {
  const std::string text = "function main()\nversion fast\n  var x = nil\n"
                           "  assume [] else (main, base, L) [var x = (x + 1)]\n  stop\n"
                           "version base\n  var x = 1\n>L:\n  stop\n";
  const LockstepVerdict verdict = transparency(program(text), {{}});
  EXPECT_EQ(verdict.agreement, Agreement::Different) << verdict.report;
  EXPECT_EQ(verdict.kind, "transparency:stuck(wrong-type)/stop");
}

TEST_F(BisimChecks, OneSideThatNeverEnds) {
  options.events_only = true;
  const std::string loop = "print 1\ngoto L\nL: goto M\nM: goto L\n", ends = "print 1\nstop\n";
  for (const bool first : {true, false}) {
    const LockstepVerdict verdict = first ? check(loop, ends) : check(ends, loop);
    EXPECT_EQ(verdict.agreement, Agreement::Different) << verdict.report;
    EXPECT_EQ(verdict.oracle, Oracle::Divergence);
  }
  EXPECT_EQ(check(loop, loop).agreement, Agreement::Inconclusive);
  const std::string counts = "print 1\nvar x = 1\ngoto L\nL: x <- (x + 1)\ngoto L\n";
  EXPECT_EQ(check(counts, ends).agreement, Agreement::Inconclusive);
  EXPECT_EQ(check(ends, counts).agreement, Agreement::Inconclusive);
}

TEST_F(BisimChecks, InjectedIsObserved) {
  const std::string text = example("31_forced_exits.sou");
  options.events_only = true;
  for (const char* const deopt :
       {"always", "each", "pairs", "every:2", "p:0.5:3", "calls", "at:1,3"}) {
    options.deopt = {deopt};
    const LockstepVerdict verdict = check(text, text);
    EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << deopt << verdict.report;
    EXPECT_FALSE(verdict.checker_failed) << deopt;
  }
}

} // namespace
} // namespace sourir
