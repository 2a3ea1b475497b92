// Mistakes that only a precise state shows, each on a program of a few lines.
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/version_check.h"
#include "sourir/passes/registry.h"
#include "sourir/syntax/text/printer.h"
#include "tests/unit/lockstep_fixture.h"

namespace sourir {
namespace {

constexpr std::uint64_t kSeeds = 400;
using testing::exit_in;
using testing::replaced;

class LockstepPrecision : public testing::LockstepFixture {
protected:
  LockstepVerdict entries(const std::string& input, const std::string& output,
                          const StateMap& map = {}) {
    const Program one = program(input), other = program(output);
    return check_entries(one, other, map, {}, options, names);
  }
  // What the program does shows nothing, its functions entered with other arguments do.
  LockstepVerdict only_entries(const std::string& input, std::string_view from,
                               std::string_view to) {
    const std::string output = replaced(input, from, to);
    EXPECT_NE(output, input);
    EXPECT_EQ(check(input, output).agreement, Agreement::Equivalent) << input;
    EXPECT_EQ(entries(input, input).agreement, Agreement::Equivalent) << input;
    const LockstepVerdict found = entries(input, output);
    EXPECT_EQ(found.agreement, Agreement::Different) << input;
    return found;
  }
  const std::string kCall = "function main()\n  call a = 'f(3)\n  print a\n  stop\n"
                            "function f(var x)\n";
};

TEST_F(LockstepPrecision, PlusZeroOfAnythingIsNotIt) {
  const std::string text = kCall + "  var y = (x + 0)\n  return y\n";
  const LockstepVerdict found = only_entries(text, "(x + 0)", "x");
  EXPECT_EQ(found.kind, "events:print/stuck(wrong-type)");
  EXPECT_NE(found.report.find("with this main"), std::string::npos) << found.report;
  const std::string called = replaced(text, "'f(3)", "'f(true)");
  EXPECT_EQ(check(called, replaced(called, "(x + 0)", "x")).agreement, Agreement::Different);
}

TEST_F(LockstepPrecision, ZerosHaveSigns) {
  const std::string text = kCall + "  branch (x == 0.0) $z $n\n$z:\n  return x\n$n:\n  return 1\n";
  only_entries(text, "return x", "return 0.0");
  const std::string called = replaced(text, "'f(3)", "'f(-0.0)");
  EXPECT_EQ(check(called, replaced(called, "return x", "return 0.0")).agreement,
            Agreement::Different);
  // Also where nothing is printed: as a state.
  const std::string quiet = kCall + "  var z = -0.0\n  x <- z\n  branch (x == 0) $a $a\n$a:\n"
                                    "  return 1\n";
  EXPECT_EQ(check(quiet, replaced(quiet, "z = -0.0", "z = 0.0")).agreement, Agreement::Different);
}

// The guard speaks of a[0] as it was before a store through another name.
TEST_F(LockstepPrecision, GuardOverAStoreThroughAnAlias) {
  const std::string right = R"(function main()
  array a = [true]
  array b = [true]
  call x = 'f(a, b)
  print x
  stop
function f(var a, var b)
version fast
  b[0] <- false
  assume [a[0]] else (f, base, here) [var a = a, var b = b]
  return 1
version base
>start:
  b[0] <- false
>here:
  var r = a[0]
  branch r $y $n
$y:
  return 1
$n:
  return 2
)";
  const std::string wrong = replaced(replaced(right, "  b[0] <- false\n  assume", "  assume"),
                                     "here) [var a = a, var b = b]\n",
                                     "start) [var a = a, var b = b]\n  b[0] <- false\n");
  const StateMap map{{{names.intern<FunName>("f"), names.intern<VerName>("fast"), {}, {}, {}}}};
  EXPECT_EQ(check(right, wrong, map).agreement, Agreement::Equivalent);
  const LockstepVerdict found = entries(right, wrong, map);
  EXPECT_EQ(found.agreement, Agreement::Different);
  const auto aliased = [&](const std::string& text) {
    return replaced(text, "'f(a, b)", "'f(a, a)");
  };
  const LockstepVerdict called = check(aliased(right), aliased(wrong), map);
  EXPECT_EQ(called.agreement, Agreement::Different);
  EXPECT_EQ(called.kind, "events:print/print");
}

// What a frame that waits stands for was read from the heap, and the callee has changed it.
TEST_F(LockstepPrecision, WaitingStateFromAHeapThatTheCalleeChanges) {
  const std::string input = R"(function main()
version base
  array a = [1]
  var y = a[0]
  call r = 'f(a)
  print y
  stop
function f(var a)
  a[0] <- 5
  var z = 1
  print z
  return z
)";
  const std::string output =
      replaced(replaced(input, "  var y = a[0]\n", ""), "print y", "print 1");
  const auto with = [&](const std::string& y) {
    VersionMap map{names.intern<FunName>("main"), names.intern<VerName>("base"), {}, {}, {}};
    Metadata waits = exit_in(
        "(main, base, L) [], (main, base, here) [var r = $, var a = a, var y = " + y + "]", names);
    waits.outer[0].target.label.reset();
    waits.outer[0].target.offset = 3;
    map.call_sites[1] = CallSiteFrames{waits.outer, {}};
    return check(input, output, {{map}});
  };
  EXPECT_EQ(with("1").agreement, Agreement::Equivalent) << with("1").report;
  EXPECT_GT(with("1").states, 0U);
  const LockstepVerdict found = with("(a[0])");
  EXPECT_EQ(found.agreement, Agreement::Different) << found.report;
  EXPECT_EQ(found.oracle, Oracle::States);
}

// Where nothing was mapped for a while the input goes on from a state that the map gives. That may
// be one after the place that an exit goes back to.
TEST_F(LockstepPrecision, AnExitGoesBackBehindWhereTheInputWentOn) {
  const std::string input = R"(function main()
version fast
  anchor else (main, slow, L) []
  call r = 'F()
  print 2
  stop
version slow
>L:
  var z = 1
  call r = 'F()
  print 2
  stop
function F()
version base
  var x = 5
  print x
>start:
  x <- 6
  var y = 1
  print y
  return 0
)";
  const std::string output = replaced(input, "version base\n", R"(version fast
  var x = 5
  print x
  assume [] else (F, base, start) [var x = x]
  var y = 1
  print y
  return 0
version base
)");
  const auto main = names.intern<FunName>("main");
  const auto slow = names.intern<VerName>("slow");
  VersionMap unmapped{main, slow, Place{main, slow, {}, 0}, {{0, std::nullopt}}, {}};
  VersionMap map{names.intern<FunName>("F"), names.intern<VerName>("fast"), {}, {}, {}};
  for (const char* const text : {"0 []", "1 [var x = x]", "3 [var x = 6]", "3 [var x = 6]",
                                 "4 [var x = 6, var y = y]", "5 [var x = 6, var y = y]"})
    map.states.emplace(static_cast<Position>(map.states.size()), at_base(text));
  options.deopt = {"at:1,2"};
  const LockstepVerdict verdict = check(input, output, {{unmapped, map}});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  EXPECT_EQ(verdict.forced, 2U);
}

// What passes make is right in states that the program does not reach, too.
TEST_F(LockstepPrecision, PassesAreRightForAllArguments) {
  std::uint64_t runs = 0, states = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ChoiceSequence choices(seed);
    const RandomCase random = random_case(choices, random_policy(choices, 60), names);
    const auto passes = all_passes();
    const PassRow& pass = passes[choices.below(static_cast<std::uint32_t>(passes.size()))];
    const auto result = pass.run({random.program, names, {}, {}});
    if (!result) continue;
    const StateMap map = state_map(result->origins, random.program, result->program);
    const LockstepVerdict verdict =
        check_entries(random.program, result->program, map, random.inputs, options, names, 12);
    ASSERT_NE(verdict.agreement, Agreement::Different)
        << "seed " << seed << " " << pass.name << "\n"
        << verdict.report << print(random.program, names);
    ASSERT_FALSE(verdict.checker_failed) << seed << verdict.report;
    runs += verdict.runs;
    states += verdict.states;
  }
  EXPECT_GT(runs, 1000U);
  EXPECT_GT(states, 10'000U);
}

} // namespace
} // namespace sourir
