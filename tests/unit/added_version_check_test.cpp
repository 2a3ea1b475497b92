// The check of versions that the tiers make: what is decided, what is not, what differs.
#include "sourir/bisim/added_version_check.h"

#include "sourir/passes/run_pipeline.h"
#include "tests/unit/lockstep_fixture.h"

#include <utility>

namespace sourir::testing {
namespace {

class AddedVersionCheck : public LockstepFixture {
protected:
  AddedVersionCheck() {
    options.fuel = 20'000;
    options.all_fuel = 400'000;
    options.schedules = 6;
    options.mapped_exits = 6;
  }

  // The version that the passes make of `f`, after `change` of its instructions.
  void make(const std::string& f, const std::string& passes = "fresh-version,checkpoints") {
    input = program("function main()\n  stop\n" + f);
    PipelineHooks hooks;
    hooks.compose_maps = true;
    PipelineResult made =
        run_pipeline(std::get<Pipeline>(parse_pipeline(passes)), input, names, {}, hooks);
    ASSERT_EQ(made.error, "");
    output = std::move(made.program);
    map = *std::move(made.map);
  }
  template <class Change>
  void change(Change&& change) {
    for (Stmt& stmt : output.functions[1].versions[0].body) change(stmt.instr);
  }
  // The first `print` prints that, the others the second number.
  void replace_prints(std::int64_t first, std::int64_t second) {
    change([&](Instruction& instr) {
      if (std::holds_alternative<Print>(instr))
        instr = Print{SimpleExpr(std::exchange(first, second))};
    });
  }
  AddedVersionVerdict check(const std::vector<Value>& arguments, bool any_arguments = true) {
    const Function& f = output.functions[1];
    const std::vector<CallState> states{{arguments, heap}};
    return check_added_version(
        {input, output, map, f.name, f.versions[0].name, states, any_arguments}, options, names);
  }
  static Value integer(std::int64_t n) { return Value(n); }

  Program input, output;
  StateMap map;
  Heap heap;
};

constexpr const char* kSum = R"(function sum(var n)
  var s = 0
  var i = 0
  goto L
L:
  branch (i < n) $body $done
$body:
  s <- (s + i)
  i <- (i + 1)
  goto L
$done:
  return s
)";

TEST_F(AddedVersionCheck, ALongLoopWithoutEventsIsDecided) {
  make(kSum);
  const AddedVersionVerdict verdict = check({integer(300'000)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  EXPECT_EQ(verdict.tried.loops, 1U);
  EXPECT_EQ(verdict.tried.loops_compared, 1U);
  EXPECT_GE(verdict.tried.head_states, kHeadStates);
  EXPECT_GT(verdict.tried.exits, 1U);
  EXPECT_EQ(verdict.tried.exits_taken, verdict.tried.exits);
  EXPECT_GT(verdict.tried.positions, 4U);
  EXPECT_EQ(verdict.tried.positions_compared, verdict.tried.positions);
}

TEST_F(AddedVersionCheck, AWrongLoopDiffersHoweverLongItRuns) {
  make(kSum);
  change([&](Instruction& instr) {
    if (auto* const i = std::get_if<Assign>(&instr); i != nullptr && names.text(i->name) == "s")
      std::get<Binary>(i->value).op = BinaryOp::Sub;
  });
  for (const std::int64_t n : {100, 60'000})
    EXPECT_EQ(check({integer(n)}).agreement, Agreement::Different) << n;
  const auto endless = check({integer(std::int64_t{1} << 40)});
  EXPECT_NE(endless.agreement, Agreement::Equivalent);
}

TEST_F(AddedVersionCheck, AWrongExitDiffers) {
  make(kSum);
  std::size_t exits = 0;
  change([&](Instruction& instr) {
    auto* const anchor = std::get_if<Anchor>(&instr);
    if (anchor == nullptr || ++exits != 2) return;
    for (Binding& b : anchor->exit.frame.varmap)
      if (names.text(b.name) == "s") b.value = SimpleExpr(std::int64_t{7});
  });
  ASSERT_GE(exits, 2U);
  EXPECT_EQ(check({integer(10)}).agreement, Agreement::Different);
}

TEST_F(AddedVersionCheck, OtherArgumentsReachWhatTheStateDoesNot) {
  make("function f(var n)\n  branch (n == 9) $a $b\n$a:\n  print n\n  return 1\n$b:\n  return 2\n");
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Equivalent);
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Different);
}

// No argument that is tried is this one; a state at the branch goes there. What differs there may
// be no state of the program: it is not decided.
TEST_F(AddedVersionCheck, StatesAtBranchesReachWhatNoArgumentsDo) {
  make("function f(var n)\n  var m = (3 * n)\n  branch (m == 3703701) $a $b\n$a:\n  print n\n"
       "  return 1\n$b:\n  return 2\n");
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Equivalent);
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Inconclusive);
}

// The map makes the array, at a position that only a state at the branch comes to.
TEST_F(AddedVersionCheck, StatesThatNoArgumentsReachMayHaveArraysOfTheMap) {
  make("function f(var n)\n  array a = [n, 2]\n  var m = (3 * n)\n  branch (m == 3703701) $a $b\n"
       "$a:\n  print n\n  a <- a\n  return 1\n$b:\n  return 2\n",
       "fresh-version,checkpoints,copyprop,dce,deferred-materialization");
  const auto& body = output.functions[1].versions[0].body;
  ASSERT_TRUE(std::ranges::any_of(body, [](const Stmt& stmt) {
    const Metadata* const exit = exit_of(stmt.instr);
    return exit != nullptr && !exit->with.empty();
  }));
  const AddedVersionVerdict verdict = check({integer(100)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

constexpr const char* kUnusedSum = R"(function f(var n)
  var s = 0
  var k = 0
  goto L
L:
  branch (k < n) $body $done
$body:
  s <- (s + k)
  k <- (k + 1)
  goto L
$done:
  return k
)";

// The input needs the sum, which could fail; the version does not have it.
TEST_F(AddedVersionCheck, WhatIsOptimizedOutIsNotCompared) {
  make(kUnusedSum, "fresh-version,constprop,dce");
  const AddedVersionVerdict verdict = check({integer(10)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  EXPECT_GT(verdict.tried.positions_partial, 0U);
  EXPECT_EQ(verdict.tried.positions_compared, verdict.tried.positions);
  make(kUnusedSum, "fresh-version");
  EXPECT_EQ(check({integer(10)}).tried.positions_partial, 0U);
}

TEST_F(AddedVersionCheck, TheRestOfAStateIsCompared) {
  make(kUnusedSum, "fresh-version,constprop,dce");
  // One step more: the result is the same, and the first k another.
  change([&](Instruction& instr) {
    auto* const decl = std::get_if<Decl>(&instr);
    if (decl != nullptr && names.text(decl->name) == "k")
      decl->value = SimpleExpr(std::int64_t{-1});
  });
  EXPECT_EQ(check({integer(10)}).agreement, Agreement::Different);
}

// While f waits with an unknown sum, the input cannot be rebuilt from the states that exits of g
// make; the states after g returned are compared all the same.
TEST_F(AddedVersionCheck, StatesBehindExitsAboveAreCompared) {
  make(R"(function f(var n)
  var s = 0
  var k = 0
  goto L
L:
  branch (k < n) $body $done
$body:
  call r = 'g(k)
  drop r
  s <- (s + k)
  k <- (k + 1)
  goto L
$done:
  return k
function g(var n)
version fast
  assume [(n < 0)] else (g, base, L) [var n = n]
  return n
version base
>L:
  return n
)",
       "fresh-version,constprop,dce");
  const AddedVersionVerdict verdict = check({integer(10)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  EXPECT_GT(verdict.tried.positions_partial, 0U);
  EXPECT_EQ(verdict.tried.positions_compared, verdict.tried.positions);
}

constexpr const char* kNeverHolds = R"(function f(var n)
version opt
  assume [(n is float), (n > 1.5)] else (f, base, L) [var n = n]
  print n
  return 1
version base
>L:
  print n
  return 1
)";

TEST_F(AddedVersionCheck, StatesInWhichGuardsHoldReachWhatIsBehindAnAssume) {
  make(kNeverHolds, "fresh-version");
  const AddedVersionVerdict verdict = check({integer(100)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  bool first = true;
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr) && std::exchange(first, false))
      instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Inconclusive);
}

TEST_F(AddedVersionCheck, NumbersThatTheVersionNamesAreArguments) {
  make("function f(var n)\n  var m = (n / -1)\n  branch (m == 1234567) $a $b\n$a:\n  print n\n"
       "  return 1\n$b:\n  return 2\n");
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Equivalent);
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Different);
}

TEST_F(AddedVersionCheck, OfLoopsOtherArgumentsMayBeNoStates) {
  make("function f(var n)\n  var m = (n / -1)\n  branch (m == 1234567) $a $b\n$a:\n  print n\n"
       "  return 1\n$b:\n  return 2\n");
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(100)}, false).agreement, Agreement::Inconclusive);
}

TEST_F(AddedVersionCheck, FloatsGoBehindComparisonsWithIntegers) {
  make("function f(var x)\n  var y = (x + 0.25)\n  branch (y > 9223372036854775807) $a $b\n$a:\n"
       "  print 1\n  return 1\n$b:\n  return 2\n");
  const AddedVersionVerdict verdict = check({Value(0.5)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, ArraysGetElementsThatGuardsTest) {
  make("function f(var a)\nversion base\n  assume [(a is int[])] else (f, base, L) [var a = "
       "a]\n>L:\n"
       "  print a\n  return 1\n");
  const AddedVersionVerdict verdict = check({Value(heap.allocate({Value(0.5), Value()}))});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, ArraysGetLengthsThatBranchesTest) {
  make("function f(var a)\n  var n = length(a)\n  branch (n == 4) $a $b\n$a:\n"
       "  print a[3]\n  return 1\n$b:\n  return 2\n");
  const AddedVersionVerdict verdict = check({Value(heap.allocate({Value(0.5), Value(1.5)}))});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, GuardsOnElementsAndOtherTypesArePassed) {
  make("function f(var a, var g)\nversion base\n  assume [a[1], (g is fun)] else (f, base, L) "
       "[var a = a, var g = g]\n>L:\n  print g\n  return 1\n");
  for (const Value a : {integer(1), Value(heap.allocate({Value(false)}))}) {
    const AddedVersionVerdict verdict = check({a, integer(1)});
    EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  }
}

TEST_F(AddedVersionCheck, GuardsOnSeveralVariablesArePassedTogether) {
  make("function f(var i, var n, var g)\nversion base\n  assume [(i < n), (i == 5), (g < i)] else "
       "(f, base, L) [var i = i, var n = n, var g = g]\n>L:\n  print g\n  return 1\n");
  const AddedVersionVerdict verdict = check({integer(1), integer(3), Value()});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, CallsReturnValuesOfSeveralTypes) {
  make("function f(var n)\nversion base\n  call h = 'g(n)\n  assume [(h is array)] else (f, base, "
       "L) "
       "[var n = n, var h = h]\n  print 1\n>L:\n  print h\n  return 1\nfunction g(var n)\n"
       "  return n\n");
  const AddedVersionVerdict verdict = check({integer(1)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, UntypedConditionsAndEmptyArraysPassGuards) {
  make("function f(var a, var b)\nversion base\n  assume [(!b), (a is int[]), (a is bool[])] else "
       "(f, base, L) [var a = a, var b = b]\n>L:\n  print b\n  return 1\n");
  const AddedVersionVerdict verdict = check({Value(heap.allocate({Value(0.5)})), Value()});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, AStartInsideAnInlinedCallIsThatOfTheFunction) {
  make("function f(var n)\n  array c = [n, 3]\n  call d = 'g(c)\n  c[0] <- d\n  print d\n"
       "  return n\nfunction g(var m)\n  print 7\n  return 5\n",
       "fresh-version,checkpoints,inline,O1,lower-anchors,drop-assumes,O1");
  ASSERT_TRUE(std::holds_alternative<Print>(output.functions[1].versions[0].body[0].instr));
  const AddedVersionVerdict verdict = check({integer(1)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, AStopBehindAFailureIsNoPart) {
  make("function f(var n)\n  branch (n == 7) $a $b\n$a:\n  n <- (n + nil)\n  print n\n"
       "  return n\n$b:\n  return 1\n",
       "fresh-version,checkpoints,constprop,unreachable");
  ASSERT_TRUE(std::ranges::any_of(output.functions[1].versions[0].body, [](const Stmt& stmt) {
    return std::holds_alternative<Stop>(stmt.instr);
  }));
  const AddedVersionVerdict verdict = check({integer(1)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, WhatIsBehindACallThatNeverReturnsIsTried) {
  make("function f(var n)\n  call x = 'ends(n)\n  print x\n  return x\nfunction ends(var n)\n"
       "  stop\n",
       "fresh-version");
  const AddedVersionVerdict verdict = check({integer(100)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Inconclusive);
}

TEST_F(AddedVersionCheck, BooleansPassGuardsOnNumbers) {
  make("function f(var p)\nversion opt\n  assume [(p == -1)] else (f, base, L) [var p = p]\n"
       "  print 2\n  return 0\nversion base\n>L:\n  print 2\n  return 0\n",
       "fresh-version");
  const AddedVersionVerdict verdict = check({Value(true)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, ReadsGiveValuesOfSeveralTypes) {
  make("function f(var n)\n  var x\n  read x\n  assert (x > 5)\n  branch (x is int) $a $b\n$a:\n"
       "  return 1\n$b:\n  print x\n  return 2\n");
  const AddedVersionVerdict verdict = check({integer(1)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

// After the loop i is 4, so that only a state in the middle reaches the last print, where the
// version prints s.
constexpr const char* kSquare = R"(function f(var n)
  var i = 0
  goto L
L:
  branch (i < 4) $body $done
$body:
  i <- (i + 1)
  goto L
$done:
  print n
  var s = (i * i)
  print n
  branch (i == s) $same $other
$same:
  print (i * i)
  return i
$other:
  return n
)";

TEST_F(AddedVersionCheck, ASearchReachesWhatNoArgumentsDo) {
  make(kSquare, "fresh-version,checkpoints,gvn,copyprop");
  const Print prints_s{SimpleExpr(names.intern<Var>("s"))};
  ASSERT_TRUE(std::ranges::any_of(output.functions[1].versions[0].body, [&](const Stmt& stmt) {
    return stmt.instr == Instruction(prints_s);
  }));
  const AddedVersionVerdict verdict = check({integer(2)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  change([&](Instruction& instr) {
    if (instr == Instruction(prints_s)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(2)}).agreement, Agreement::Inconclusive);
}

TEST_F(AddedVersionCheck, WhatTheMapDoesNotKnowGetsValuesOfItsTypes) {
  make("function f(var n)\n  array a = [n, 2]\n  call c = 'g(n)\n  a[1] <- c\n  print n\n"
       "  return n\nfunction g(var n)\n  call x = 'h(n)\n  branch (x is int) $i $j\n$i:\n"
       "  return 1\n$j:\n  print 2\n  return 2\nfunction h(var n)\n  print n\n  return 1\n",
       "fresh-version,checkpoints,inline:functions=f:max-depth=1,fix(constprop,dce,load-"
       "elimination),lower-anchors,dce");
  const AddedVersionVerdict verdict = check({integer(2)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

TEST_F(AddedVersionCheck, VersionsReadIntegers) {
  make("function f(var n)\n  var x\n  read x\n  print x\n  return x\n", "fresh-version");
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Equivalent);
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{1})};
  });
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Different);
}

// No state passes both tests: an array without elements has none to store to.
TEST_F(AddedVersionCheck, WhatIsBehindGuardsThatNoStatePassesIsTriedAsIfOneDid) {
  const char* const f =
      "function f(var a)\nversion opt\n  assume [(a is int[])] else (f, base, L) [var a = a]\n"
      "  a[0] <- 5\n  assume [(a is float[])] else (f, base, M) [var a = a]\n  print a[0]\n"
      "  print 7\n  return 1\nversion base\n>L:\n  a[0] <- 5\n>M:\n  print a[0]\n  print 7\n"
      "  return 1\n";
  const auto prints = [&](std::int64_t first, std::int64_t second) {
    replace_prints(first, second);
    return check({Value(heap.allocate({integer(1)}))});
  };
  make(f, "fresh-version");
  const AddedVersionVerdict verdict = prints(5, 7);
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  EXPECT_EQ(verdict.tried.positions_compared, verdict.tried.positions);
  EXPECT_EQ(prints(-7700001, 7).agreement, Agreement::Inconclusive);
  EXPECT_EQ(prints(5, -7700001).agreement, Agreement::Inconclusive);
}

TEST_F(AddedVersionCheck, NumbersThatNoStateHasPassAsIfOneDid) {
  make("function f(var n)\n  var m = (2 * n)\n  branch (m == 1) $a $b\n$a:\n  print m\n"
       "  return 1\n$b:\n  return 2\n");
  const AddedVersionVerdict verdict = check({integer(100)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

// Each print of the version is right in some state, both are in none.
TEST_F(AddedVersionCheck, FewStepsDecideWhereNoStateCanBe) {
  for (const std::int64_t second : {3, -7700001}) {
    make("function f(var n)\n  branch (n < n) $a $b\n$a:\n  print n\n  print n\n  return 1\n"
         "$b:\n  return (n == 3)\n",
         "fresh-version");
    replace_prints(2, second);
    const AddedVersionVerdict verdict = check({integer(2)});
    EXPECT_EQ(verdict.agreement, second == 3 ? Agreement::Equivalent : Agreement::Inconclusive)
        << verdict.report;
  }
}

// The call is inlined, and the array is gone with a number in it, so that the map does not know it.
// That no state prints is not known.
constexpr const char* kInlinesArrays = R"(function f(var n)
  call c = 'g(n)
  return n
function g(var m)
  var k = (m * 3)
  array a = [-77, k, "text"]
  k <- 0
  var b = (0 % 0.0)
  branch (b == b) $i $j
$i:
  print a[0]
  print a[2]
  print length(a)
  return 1
$j:
  print a[0]
  return 2
)";
constexpr const char* kInlines = "fresh-version,checkpoints,inline:functions=f:max-depth=1,"
                                 "fix(constprop,dce,load-elimination),lower-anchors,dce";

TEST_F(AddedVersionCheck, WhatTheMapDoesNotKnowGetsElementsThatTheVersionNames) {
  make(kInlinesArrays, kInlines);
  const AddedVersionVerdict verdict = check({integer(2)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  change([&](Instruction& instr) {
    if (instr == Instruction(Print{SimpleExpr(std::int64_t{3})}))
      instr = Print{SimpleExpr(names.intern<Str>("text"))};
  });
  EXPECT_EQ(check({integer(2)}).agreement, Agreement::Inconclusive);
}

// No run comes to the print; what the array holds there is what the input's own run has put into
// it, not whatever the version prints.
TEST_F(AddedVersionCheck, WhatTheMapDoesNotKnowIsWhatARunOfTheInputHeld) {
  for (const std::int64_t printed : {-77, -78}) {
    make(kInlinesArrays, kInlines);
    bool first = true;
    change([&](Instruction& instr) {
      if (instr == Instruction(Print{SimpleExpr(std::int64_t{-77})}) && std::exchange(first, false))
        instr = Print{SimpleExpr(printed)};
    });
    const AddedVersionVerdict verdict = check({integer(2)});
    EXPECT_EQ(verdict.agreement, printed == -77 ? Agreement::Equivalent : Agreement::Inconclusive)
        << verdict.report;
    if (printed != -77) continue;
    EXPECT_GT(verdict.tried.parts_assumed, 0U);
    EXPECT_EQ(verdict.tried.parts_chosen, 0U);
  }
}

// `n` of the inlined function is no parameter of `f` that has the same name.
TEST_F(AddedVersionCheck, OfInlinedFunctionsWhatTheMapDoesNotKnowIsNoParameter) {
  make("function f(var n)\n  call c = 'g(n)\n  return n\nfunction g(var m)\n  array n = [m]\n"
       "  var b = (0 % 0.0)\n  branch (b == b) $i $j\n$i:\n  assert (n is array)\n  print 3\n"
       "  return 1\n$j:\n  return 2\n",
       kInlines);
  const AddedVersionVerdict verdict = check({integer(2)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

// Each print of the version is right in some state, both are in none.
TEST_F(AddedVersionCheck, LoopsWhereNoStateCanBeAreTried) {
  for (const std::int64_t second : {3, -7700001}) {
    make("function f(var n)\n  branch (n < n) $a $b\n$a:\n  var i = 0\n  goto L\nL:\n"
         "  branch (i < 2) $x $y\n$x:\n  print n\n  i <- (i + 1)\n  goto L\n$y:\n  print n\n"
         "  return 1\n$b:\n  return (n == 3)\n",
         "fresh-version");
    replace_prints(2, second);
    const AddedVersionVerdict verdict = check({integer(2)});
    EXPECT_EQ(verdict.agreement, second == 3 ? Agreement::Equivalent : Agreement::Inconclusive)
        << verdict.report;
  }
}

TEST_F(AddedVersionCheck, WhatNoArgumentsReachAndDiffersIsNotDecided) {
  make("function f(var n)\n  branch (n < -5) $a $b\n$a:\n"
       "  assert (n < n)\n  print n\n  return 1\n$b:\n  return 2\n");
  EXPECT_EQ(check({integer(100)}).agreement, Agreement::Equivalent);
  change([&](Instruction& instr) {
    if (std::holds_alternative<Print>(instr)) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  const AddedVersionVerdict verdict = check({integer(100)});
  EXPECT_EQ(verdict.agreement, Agreement::Inconclusive);
  EXPECT_EQ(verdict.report.substr(0, 11), "not tried: ") << verdict.report;
  EXPECT_LT(verdict.tried.positions_compared, verdict.tried.positions);
}

// The two arrays are never one, so no run comes to the print.
TEST_F(AddedVersionCheck, AssertsAreMadeToHold) {
  make("function f(var n)\n  array a = [n, 2]\n  array b = [n, 2, 3]\n  assert (a == b)\n"
       "  print length(a)\n  return a\n",
       "fresh-version,checkpoints,constprop");
  const Instruction prints_length{Print{SimpleExpr(std::int64_t{3})}};
  ASSERT_TRUE(std::ranges::any_of(output.functions[1].versions[0].body,
                                  [&](const Stmt& stmt) { return stmt.instr == prints_length; }));
  const AddedVersionVerdict verdict = check({integer(1)});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
  change([&](Instruction& instr) {
    if (instr == prints_length) instr = Print{SimpleExpr(std::int64_t{-7700001})};
  });
  EXPECT_EQ(check({integer(1)}).agreement, Agreement::Inconclusive);
}

TEST_F(AddedVersionCheck, AMapWithoutStatesIsNotDecided) {
  make(kSum);
  for (VersionMap& version : map.versions) {
    if (names.text(version.function) != "sum") continue;
    version.identity.reset();
    version.states.clear();
  }
  const AddedVersionVerdict verdict = check({integer(10)});
  EXPECT_EQ(verdict.agreement, Agreement::Inconclusive);
  EXPECT_EQ(verdict.report, "the map has no state that can be compared at sum.opt: the map has no "
                            "state of it");
}

TEST_F(AddedVersionCheck, EffectsOnArraysOfTheCallerAreCompared) {
  make("function f(var a)\n  a[0] <- 1\n  return nil\n");
  const Value array(heap.allocate({Value(), Value()}));
  EXPECT_EQ(check({array}).agreement, Agreement::Equivalent) << check({array}).report;
  change([&](Instruction& instr) {
    if (auto* const store = std::get_if<ArrayUpdate>(&instr))
      store->index = SimpleExpr(std::int64_t{1});
  });
  EXPECT_EQ(check({array}).agreement, Agreement::Different);
}

TEST_F(AddedVersionCheck, ArraysAreNotCut) {
  make("function f(var a)\n  var n = length(a)\n  n <- (n - 1)\n  return a[n]\n");
  std::vector<Value> elements(30'000, integer(3));
  const Value array(heap.allocate(std::move(elements)));
  const AddedVersionVerdict verdict = check({array});
  EXPECT_EQ(verdict.agreement, Agreement::Equivalent) << verdict.report;
}

} // namespace
} // namespace sourir::testing
