// The lowering to LLVM: operators, arrays, guards, calls and exits of compiled versions, without
// and with LLVM's optimizer, against the reference.
#include "tests/native/compiled.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sourir::testing {
namespace {

using native::CompileOptions;

class Lowering : public ::testing::TestWithParam<unsigned> {
protected:
  CompileOptions options() const { return {.level = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Levels, Lowering, ::testing::Values(0U, 2U),
                         [](const auto& level) { return "O" + std::to_string(level.param); });

constexpr const char* kFib = R"(
  return 0
function fib(var n)
  branch (n < 2) $small $big
$small:
  return n
$big:
  var n1 = (n - 1)
  call a = 'fib(n1)
  var n2 = (n - 2)
  call b = 'fib(n2)
  var r = (a + b)
  return r
)";

TEST_P(Lowering, FibOfInts) {
  Compiled fib(kFib, options());
  EXPECT_EQ(fib.call("fib", {integer(20)}), integer(6765));
  EXPECT_TRUE(fib.exits.empty());
  EXPECT_TRUE(fib.calls.empty());
}

TEST_P(Lowering, FibOfFloats) {
  Compiled fib(kFib, options());
  EXPECT_EQ(fib.call("fib", {Value(10.5)}), Value(99.5));
  EXPECT_TRUE(fib.exits.empty());
}

TEST_P(Lowering, DepthBailsOutBeforeTheCall) {
  Compiled fib(kFib, options());
  fib.instead = integer(0);
  EXPECT_EQ(fib.call("fib", {integer(5)}, 4), integer(5));
  EXPECT_TRUE(fib.exits.empty());
  fib.call("fib", {integer(5)}, 1);
  ASSERT_FALSE(fib.exits.empty());
  EXPECT_EQ(fib.exits[0].by, "bailout");
  EXPECT_EQ(fib.code("fib").call_at(fib.return_address), std::nullopt); // that frame is gone
  // Where what can be done again begins, with n, n1 and what is not declared yet as they were.
  EXPECT_EQ(fib.exits[0].pc, GetParam() == 0 ? 3U : 2U);
  EXPECT_EQ(fib.exits[0].slots[0], integer(4));
  EXPECT_EQ(fib.exits[0].slots[1], GetParam() == 0 ? integer(3) : Value::unbound());
  EXPECT_EQ(fib.exits[0].slots[2], Value::unbound());
}

// Every operator on pairs of values: the same as in the reference, or on in the baseline.
TEST_P(Lowering, OperatorsAgreeWithTheReference) {
  constexpr const char* kOps[] = {"==", "!=", "<", "<=", ">",  ">=", "+",
                                  "-",  "*",  "/", "%",  "&&", "||"};
  std::string text = "  return 0\n";
  for (std::size_t i = 0; i < std::size(kOps); ++i)
    text += "function f" + std::to_string(i) + "(var a, var b)\n  return (a " + kOps[i] + " b)\n";
  Compiled c(text, options());
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Value> values = {Value(),
                                     Value(false),
                                     Value(true),
                                     integer(0),
                                     integer(1),
                                     integer(-1),
                                     integer(7),
                                     integer(kMin),
                                     integer((std::int64_t{1} << 53) + 1),
                                     Value(0.0),
                                     Value(-0.0),
                                     Value(1.0),
                                     Value(-2.5),
                                     Value(9007199254740992.0),
                                     Value(infinity),
                                     Value(-infinity),
                                     Value(std::numeric_limits<double>::quiet_NaN()),
                                     Value(Str{3}),
                                     Value(FunName{1})};
  for (std::size_t op = 0; op < std::size(kOps); ++op)
    for (const Value a : values)
      for (const Value b : values) {
        c.exits.clear();
        c.instead = Value(Str{99});
        const Value got = c.call("f" + std::to_string(op), {a, b});
        const EvalResult expected = apply_binary(static_cast<BinaryOp>(op), a, b);
        const std::string what = std::string(kOps[op]) + " on kinds " +
                                 std::to_string(static_cast<int>(a.tag())) + " " +
                                 std::to_string(static_cast<int>(b.tag()));
        ASSERT_EQ(c.exits.empty(), static_cast<bool>(expected)) << what;
        if (!expected) continue;
        if (expected.value.is(Tag::Float) && std::isnan(expected.value.as_float()))
          ASSERT_TRUE(got.is(Tag::Float) && std::isnan(got.as_float())) << what;
        else
          ASSERT_EQ(got, expected.value) << what;
      }
}

TEST_P(Lowering, UnaryOperatorsAndKindTests) {
  Compiled c("  return 0\nfunction minus(var a)\n  return (- a)\nfunction no(var a)\n"
             "  return (! a)\nfunction fun(var a)\n  return (a is fun)\n",
             options());
  EXPECT_EQ(c.call("minus", {integer(3)}), integer(-3));
  EXPECT_EQ(c.call("minus", {Value(0.0)}), Value(-0.0));
  EXPECT_EQ(c.call("no", {Value(true)}), Value(false));
  EXPECT_EQ(c.call("fun", {Value(FunName{2})}), Value(true));
  EXPECT_EQ(c.call("fun", {integer(2)}), Value(false));
  EXPECT_TRUE(c.exits.empty());
  c.call("no", {integer(1)});
  c.call("minus", {Value(true)});
  EXPECT_EQ(c.exits.size(), 2U);
}

constexpr const char* kArrays = R"(
  return 0
function fill(var n, var v)
  array a[n]
  var i = 0
  goto test
test:
  branch (i < n) $more $done
$more:
  a[i] <- v
  i <- (i + 1)
  goto test
$done:
  return a
function sum(var a)
  var s = 0
  var i = 0
  goto test
test:
  var n = length(a)
  branch (i < n) $more $done
$more:
  drop n
  var x = a[i]
  s <- (s + x)
  drop x
  i <- (i + 1)
  goto test
$done:
  return s
function at(var a, var i)
  return a[i]
)";

TEST_P(Lowering, ArraysOfEachStorage) {
  Compiled c(kArrays, options());
  for (const Value v : {integer(5), Value(0.5), Value(true), Value(Str{3}), Value()}) {
    const Value a = c.call("fill", {integer(100), v});
    ASSERT_TRUE(a.is(Tag::Array));
    EXPECT_EQ(c.call("at", {a, integer(99)}), v);
  }
  EXPECT_EQ(c.call("sum", {c.call("fill", {integer(100), integer(5)})}), integer(500));
  c.calls.clear();
  EXPECT_EQ(c.call("sum", {c.call("fill", {integer(100), Value(0.5)})}), Value(50.0));
  EXPECT_EQ(c.calls, (std::vector<std::string>{"rt_store"})); // of the first element
  EXPECT_TRUE(c.exits.empty());
  const Value a = c.array({integer(1), Value(true)});
  EXPECT_EQ(c.call("at", {a, integer(1)}), Value(true));
  EXPECT_TRUE(c.exits.empty());
  for (const Value i : {integer(2), integer(-1), Value(1.0)}) c.call("at", {a, i});
  c.call("at", {integer(1), integer(1)});
  EXPECT_EQ(c.exits.size(), 4U);
}

TEST_P(Lowering, GuardsThatAreErrorsCountAsFalse) {
  Compiled c(R"(
  return 0
function f(var a, var i)
version fast
  assume [(a is array), a[i], (i < 3)] else (f, base, L) [var a = a, var i = i]
  return 1
version base
>L:
  return 2
)",
             options());
  const Value a = c.array({Value(true), Value(false), integer(1)});
  c.instead = Value(Str{9});
  EXPECT_EQ(c.call("f", {a, integer(0)}), integer(1));
  EXPECT_TRUE(c.exits.empty());
  for (const Value i : {integer(1), integer(2), integer(3), integer(-1), Value(0.0)})
    EXPECT_EQ(c.call("f", {a, i}), c.instead);
  EXPECT_EQ(c.call("f", {integer(1), integer(0)}), c.instead);
  ASSERT_EQ(c.exits.size(), 6U);
  for (const auto& exited : c.exits) {
    EXPECT_EQ(exited.by, "bailout");
    EXPECT_EQ(exited.pc, 0U);
  }
  EXPECT_EQ(c.exits[4].slots, (std::vector<Value>{a, Value(0.0)}));
}

TEST_P(Lowering, ForcedExitsAskAtEachOpportunity) {
  CompileOptions how = options();
  how.forced_exits = true;
  Compiled c(R"(
  return 0
function f(var x)
version fast
  assume [(x is int)] else (f, base, L) [var x = x]
  anchor else (f, base, L) [var x = x]
  return 1
version base
>L:
  return 2
)",
             how);
  EXPECT_EQ(c.call("f", {integer(1)}), integer(1));
  EXPECT_EQ(c.asked, 2U);
  c.exit_at = 4;
  c.call("f", {integer(1)});
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].pc, 1U);
  c.call("f", {Value(true)}); // no opportunity: the guard fails
  EXPECT_EQ(c.asked, 4U);
  EXPECT_EQ(c.exits[1].pc, 0U);
}

TEST_P(Lowering, OpportunitiesAreCountedDownUntilOneIsAsked) {
  CompileOptions how = options();
  how.forced_exits = true;
  Compiled c(R"(
  return 0
function f(var x)
version fast
  anchor else (f, base, L) [var x = x]
  anchor else (f, base, L) [var x = x]
  return 1
version base
>L:
  return 2
)",
             how);
  c.ask_every = 5;
  c.until_asked = 4;
  c.call("f", {integer(1)});
  EXPECT_EQ(c.until_asked, 2);
  EXPECT_EQ(c.asked, 0U);
  c.call("f", {integer(1)}); // asked at the second
  EXPECT_EQ(c.until_asked, 5);
  EXPECT_EQ(c.asked, 1U);
  c.exit_at = 2;
  for (int i = 0; i < 3; ++i) c.call("f", {integer(1)}); // asked at the first of the third
  EXPECT_EQ(c.asked, 2U);
  EXPECT_EQ(c.until_asked, 5);
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].pc, 0U);
}

TEST_P(Lowering, FuelIsCountedAtCallsAndBackEdges) {
  CompileOptions how = options();
  how.fuel = true;
  Compiled c("  return 0\nfunction f(var n)\n  goto L\nL:\n  n <- (n + 1)\n  goto L\n", how);
  c.fuel = 10;
  c.call("f", {integer(0)});
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].by, "fuel");
  EXPECT_EQ(c.exits[0].pc, 2U);
  EXPECT_EQ(c.exits[0].slots[0], integer(11));
  EXPECT_EQ(c.fuel, -1);
}

TEST_P(Lowering, EnteredByOsr) {
  Compiled c(kArrays, options());
  const Value a = c.array({integer(1), integer(10), integer(100)});
  // a, s, i: at the loop's test
  const Value unbound = Value::unbound();
  EXPECT_EQ(c.enter("sum", 3, {a, integer(1000), integer(1), unbound, unbound}), integer(1110));
  EXPECT_TRUE(c.exits.empty());
}

TEST_P(Lowering, CallsThroughValuesLookAtTheArity) {
  Compiled c("  return 0\nfunction f(var g, var x)\n  call r = g(x)\n  return r\n"
             "function one(var x)\n  return (x + 1)\nfunction two(var x, var y)\n  return x\n",
             options());
  const auto named = [&](const char* f) { return Value(c.running().names().intern<FunName>(f)); };
  c.compile("one");
  EXPECT_EQ(c.call("f", {named("one"), integer(4)}), integer(5));
  EXPECT_TRUE(c.exits.empty());
  c.call("f", {named("two"), integer(4)});
  c.call("f", {integer(1), integer(4)});
  EXPECT_EQ(c.exits.size(), 2U);
}

TEST_P(Lowering, CallsOfWhatIsNoFunctionFail) {
  Compiled c("  return 0\nfunction f(var x)\n  var g = 123456789\n  call r = g(x)\n"
             "  call q = 987654321(x)\n  return r\n",
             options());
  c.call("f", {integer(1)});
  EXPECT_EQ(c.exits.size(), 1U);
}

TEST_P(Lowering, CallsWithoutCodeGoThroughTheRuntime) {
  Compiled c("  return 0\nfunction f(var x)\n  call r = 'g(x)\n  return r\n"
             "function g(var x)\n  return x\n",
             options());
  const auto g = c.running().names().intern<FunName>("g");
  EXPECT_EQ(c.call("f", {integer(4)}), integer(g.id + 1));
  EXPECT_EQ(c.calls, (std::vector<std::string>{"rt_call"}));
  c.compile("g");
  EXPECT_EQ(c.call("f", {integer(4)}), integer(4));
}

// Guards for the elements of arrays. `base` is never compiled: exits are reported.
constexpr const char* kElements = R"(
  return 0
function sum(var a)
version opt
  var s = 0
  var i = 0
  goto test
test:
  branch (i < 2) $more $done
$more:
  assume [(a is int[])] else (sum, base, next) [var a = a, var s = s, var i = i]
  var x = a[i]
  s <- (s + x)
  drop x
  i <- (i + 1)
  goto test
$done:
  return s
version base
  var s = 0
  var i = 0
>next:
  stop
function alias(var a, var b, var v)
version opt
  assume [(a is int[])] else (alias, base, next) [var a = a, var b = b, var v = v]
  var c = a
  b[0] <- v
  var x = c[0]
  return x
version base
>next:
  stop
function called(var a, var v)
version opt
  assume [(a is int[])] else (called, base, next) [var a = a, var v = v]
  call r = 'put(a, v)
  var x = a[0]
  return x
version base
>next:
  stop
function put(var a, var v)
  a[0] <- v
  return nil
function store(var a, var v)
version opt
  assume [(a is float[])] else (store, base, next) [var a = a, var v = v]
  var x = (v * 2.0)
  assume [(x is float)] else (store, base, next) [var a = a, var v = v]
  a[2] <- x
  return a
version base
>next:
  stop
)";

TEST_P(Lowering, ElementsAreTested) {
  Compiled c(kElements, options());
  EXPECT_EQ(c.call("sum", {c.array({integer(1), integer(2)})}), integer(3));
  EXPECT_TRUE(c.exits.empty());
  EXPECT_TRUE(c.calls.empty());
  const std::vector<Value> others{c.array({Value(1.0), Value(2.0)}),
                                  c.array({integer(1), Value(2.0)}),
                                  c.array({integer(1), integer(2), Value()}), integer(1)};
  for (const Value& a : others) c.call("sum", {a});
  // Of ints, but in another storage: the guard holds, and the code cannot go on.
  const Value a = c.array({integer(1), Value(2.0)});
  c.heap.store(native::array_of(a), 1, integer(2));
  c.call("sum", {a});
  ASSERT_EQ(c.exits.size(), others.size() + 1);
  for (const auto& exit : c.exits) {
    EXPECT_EQ(exit.by, "bailout");
    EXPECT_EQ(exit.pc, 4U);
  }
}

// The address of an array is its identity: a store through another variable changes it.
TEST_P(Lowering, StoresEndWhatIsKnownOfElements) {
  Compiled c(kElements, options());
  const std::vector<Value> stored{integer(7), Value(0.5), Value(true), Value(Str{3}), Value()};
  for (const Value& v : stored) {
    const Value a = c.array({integer(1), integer(2)});
    EXPECT_EQ(c.call("alias", {a, a, v}), v);
    EXPECT_EQ(c.call("alias", {c.array({integer(1)}), a, v}), integer(1));
  }
  EXPECT_TRUE(c.exits.empty());
}

TEST_P(Lowering, CallsEndWhatIsKnownOfElements) {
  Compiled c(kElements, options());
  c.compile("put");
  for (const Value& v : {integer(7), Value(0.5), Value()})
    EXPECT_EQ(c.call("called", {c.array({integer(1), integer(2)}), v}), v);
  EXPECT_TRUE(c.exits.empty());
}

TEST_P(Lowering, StoresAmongKnownElements) {
  Compiled c(kElements, options());
  const Value a = c.array({Value(1.0), Value(2.0), Value(3.0)});
  c.call("store", {a, Value(4.0)});
  EXPECT_EQ(native::Heap::load(native::array_of(a), 2), Value(8.0));
  EXPECT_TRUE(c.exits.empty());
  EXPECT_TRUE(c.calls.empty());
  c.call("store", {c.array({Value(1.0), Value(2.0)}), Value(4.0)}); // out of bounds
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].by, "bailout");
}

// Where a guard wants one type, other storages are loaded by a call, and other types bail out.
TEST_P(Lowering, LoadsOfAGuardedType) {
  Compiled c(
      "  return 0\nfunction f(var a, var i)\nversion opt\n  var x = a[i]\n"
      "  assume [(x is int)] else (f, base, next) [var a = a, var i = i, var x = x]\n  return x\n"
      "version base\n  var x = a[i]\n>next:\n  stop\n",
      options());
  EXPECT_EQ(c.call("f", {c.array({integer(3)}), integer(0)}), integer(3));
  EXPECT_TRUE(c.calls.empty());
  EXPECT_EQ(c.call("f", {c.array({integer(3), Value(0.5)}), integer(0)}), integer(3));
  EXPECT_TRUE(c.calls.empty());
  EXPECT_TRUE(c.exits.empty());
  Compiled::loads = 0;
  c.call("f", {c.array({integer(3), Value(0.5)}), integer(1)});
  EXPECT_EQ(Compiled::loads, 0U);
  c.call("f", {c.array({Value(0.5)}), integer(0)});
  c.call("f", {c.array({integer(3)}), integer(1)});
  EXPECT_EQ(Compiled::loads, 2U);
  ASSERT_EQ(c.exits.size(), 3U);
  for (const auto& exit : c.exits) EXPECT_EQ(exit.by, "bailout");
}

// A call is not re-executable: a result of another type is handed over.
TEST_P(Lowering, ResultsOfCallsAreTested) {
  Compiled c("  return 0\nfunction f(var x)\nversion opt\n  call r = 'g(x)\n"
             "  assume [(r is int)] else (f, base, next) [var x = x, var r = r]\n  return r\n"
             "version base\n  call r = 'g(x)\n>next:\n  stop\nfunction g(var x)\n  return x\n",
             options());
  c.compile("g");
  EXPECT_EQ(c.call("f", {integer(4)}), integer(4));
  EXPECT_TRUE(c.exits.empty());
  c.call("f", {Value(true)});
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].pc, 1U);
  EXPECT_EQ(c.exits[0].slots, (std::vector<Value>{Value(true), Value(true)}));
}

TEST_P(Lowering, ReturnAddressesArePositions) {
  Compiled c("  return 0\nfunction f(var x)\n  branch x $a $b\n$a:\n  call r = 'g(x)\n  return r\n"
             "$b:\n  call q = 'g(x)\n  return q\nfunction g(var x)\n  return x\n",
             options());
  const native::NativeCode& code = c.code("f");
  for (const bool way : {true, false}) {
    c.call("f", {Value(way)});
    EXPECT_EQ(code.call_at(c.return_address), std::optional<Pc>(way ? 1 : 3));
    EXPECT_EQ(code.call_at(code.begin), std::nullopt);
    EXPECT_EQ(code.call_at(code.begin + code.size + 1), std::nullopt);
  }
}

TEST_P(Lowering, CallsItself) {
  Compiled c("  return 0\nfunction f(var n, var x)\n  branch (n == 0) $end $on\n$end:\n"
             "  call r = 'g(x)\n  return r\n$on:\n  var m = (n - 1)\n  call s = 'f(m, x)\n"
             "  var y = (n == 3)\n  branch y $float $same\n$float:\n"
             "  call t = 'f(m, 0.5)\n  return t\n$same:\n  return s\n"
             "function g(var x)\n  return x\n",
             options());
  c.calls_itself = true;
  const auto g = c.running().names().intern<FunName>("g");
  EXPECT_EQ(c.call("f", {integer(2), integer(7)}), integer(g.id + 1));
  EXPECT_TRUE(c.exits.empty());
  EXPECT_EQ(c.code("f").call_at(c.return_address), std::optional<Pc>(1));
  EXPECT_EQ(c.call("f", {integer(3), integer(7)}), integer(g.id + 1));
  EXPECT_TRUE(c.exits.empty());
}

TEST_P(Lowering, ManyVersionsInAModule) {
  Compiled c(kFib, options());
  EXPECT_GT(c.code("fib").size, 0U);
  EXPECT_EQ(c.code("fib").begin, reinterpret_cast<std::uint64_t>(c.code("fib").entry));
  for (int i = 0; i < 50; ++i) c.compile("fib"); // and the one before is freed
  EXPECT_EQ(c.call("fib", {integer(10)}), integer(55));
}

TEST_P(Lowering, Shown) {
  Compiled c(kFib, options());
  using Form = native::NativeCompiler::Form;
  EXPECT_NE(c.show("fib", Form::Llvm).find("define { i64, i64 } @fib.anon"), std::string::npos);
  EXPECT_NE(c.show("fib", Form::Optimized).find("@fib.anon"), std::string::npos);
  EXPECT_NE(c.show("fib", Form::Assembly).find("fib.anon:"), std::string::npos);
}

// --- Code with samples ---

// A sum of n values whose type is not known, in a counted loop.
constexpr const char* kSum = R"(
  return 0
function up(var x, var n)
  assert (n is int)
  var s = x
  var i = 0
  goto loop
loop:
  branch (i < n) $body $end
$body:
  s <- (s + x)
  i <- (i + 1)
  goto loop
$end:
  return s
function down(var x, var n)
  assert (n is int)
  var s = x
  goto loop
loop:
  branch (0 >= n) $end $body
$body:
  s <- (s + x)
  n <- (n - 3)
  goto loop
$end:
  return s
function changed(var x, var n)
  var s = x
  var i = 0
  goto loop
loop:
  branch (i < n) $body $end
$body:
  s <- (s + x)
  n <- (n - 1)
  i <- (i + 1)
  goto loop
$end:
  return s
function known(var x, var n)
  assert (n is int)
  var i = 0
  goto loop
loop:
  branch (i < n) $body $end
$body:
  i <- (i + 1)
  goto loop
$end:
  return (x + i)
)";
constexpr std::uint64_t kIterations[] = {0, 1, 2, 1023, 1024, 1025, 5000};

class SampledLoops : public ::testing::Test {
protected:
  SampledLoops() { code.sampled = &record; }
  Value call(const char* function, std::uint64_t n, std::uint32_t request) {
    code.polls = 0;
    code.reports.clear();
    code.code(function);
    record.request = request;
    return code.call(function, {integer(1), integer(static_cast<std::int64_t>(n))});
  }
  profiler::SampledCode record{0, "f"};
  Compiled code{kSum, CompileOptions{.level = 2}};
};

class LoopsInStrips : public SampledLoops {
protected:
  LoopsInStrips() { code.instrumented = false; }
};

TEST_F(LoopsInStrips, WithoutARequestDoNotCallTheRuntime) {
  for (const std::uint64_t n : kIterations) {
    EXPECT_EQ(call("up", n, 0), integer(static_cast<std::int64_t>(n + 1)));
    EXPECT_EQ(code.polls, 0U);
  }
}

TEST_F(LoopsInStrips, PollOnceAStrip) {
  for (const std::uint64_t n : kIterations) {
    EXPECT_EQ(call("up", n, profiler::kLeaveLoop), integer(static_cast<std::int64_t>(n + 1)));
    EXPECT_EQ(code.polls, (n + 1023) / 1024) << n;
    const std::uint64_t steps = (n + 2) / 3;
    EXPECT_EQ(call("down", n, profiler::kLeaveLoop), integer(static_cast<std::int64_t>(steps + 1)));
    EXPECT_EQ(code.polls, (steps + 1023) / 1024) << n;
    EXPECT_TRUE(code.reports.empty());
  }
}

// The limit is not that of the first iteration.
TEST_F(LoopsInStrips, WhoseLimitChangesPollInEachIteration) {
  EXPECT_EQ(call("changed", 5000, profiler::kLeaveLoop), integer(2501));
  EXPECT_EQ(code.polls, 2500U);
}

TEST_F(LoopsInStrips, BailOutAtTheHead) {
  code.answer = profiler::Answer::Leave;
  code.instead = integer(7);
  EXPECT_EQ(call("up", 5000, profiler::kLeaveLoop), integer(7));
  ASSERT_EQ(code.exits.size(), 1U);
  EXPECT_EQ(code.exits[0].by, "bailout");
  EXPECT_EQ(code.exits[0].pc, 4U);
  EXPECT_EQ(code.exits[0].slots[1], integer(5000));
  EXPECT_EQ(code.exits[0].slots[2], integer(1));
  EXPECT_EQ(code.exits[0].slots[3], integer(0));
}

TEST_F(LoopsInStrips, EnterInstrumentedCodeInsteadOfTheirOwn) {
  EXPECT_EQ(call("up", 5000, profiler::kRequestedAnywhere), integer(5001));
  EXPECT_EQ(code.polls, 1U) << "at the entry, where nothing else is to be entered";
  Compiled other{"function main()\n  stop\nfunction up(var x, var n)\n  return (x - n)\n",
                 CompileOptions{.level = 1}};
  code.entered_instead = other.code("up").entry;
  EXPECT_EQ(call("up", 5000, profiler::kRequestedAnywhere), integer(-4999));
  EXPECT_EQ(code.polls, 1U);
}

// Two iterations of the inner loop in each of the outer one.
constexpr const char* kNested = R"(
  return 0
function nested(var x, var n)
  assert (n is int)
  var s = x
  var i = 0
  goto outer
outer:
  branch (i != n) $round $end
$round:
  var j = 2
  goto inner
inner:
  branch (j != 0) $body $done
$body:
  s <- (s + x)
  j <- (j - 1)
  goto inner
$done:
  drop j
  i <- (i + 1)
  goto outer
$end:
  return s
)";

TEST(ShortLoops, PollInTheLoopAroundThem) {
  for (const bool instrumented : {false, true})
    for (const auto& [leave_soon, polls] :
         {std::pair(std::vector<Pc>{}, 20U), std::pair(std::vector<Pc>{7}, 10U),
          std::pair(std::vector<Pc>{4, 7}, 0U)}) {
      profiler::SampledCode record{0, "f"};
      Compiled code{kNested, CompileOptions{.level = 2}};
      code.sampled = &record;
      code.instrumented = instrumented;
      code.leave_soon = leave_soon;
      code.answer = instrumented ? profiler::Answer::Sample : profiler::Answer::GoOn;
      code.code("nested");
      record.request = instrumented ? profiler::kRequestedAnywhere : profiler::kLeaveLoop;
      EXPECT_EQ(code.call("nested", {integer(1), integer(10)}), integer(21));
      EXPECT_EQ(code.polls, polls) << instrumented << leave_soon.size();
      if (!instrumented || polls == 0) continue;
      EXPECT_EQ(code.reports.back().back(), type_set(Tag::Int).bits());
    }
}

TEST_F(SampledLoops, ReportWhatTheyBindAtEachBackEdge) {
  code.answer = profiler::Answer::Sample;
  for (const std::uint64_t n : kIterations) {
    EXPECT_EQ(call("up", n, profiler::kRequestedAnywhere),
              integer(static_cast<std::int64_t>(n + 1)));
    EXPECT_EQ(code.polls, n);
    ASSERT_EQ(code.reports.size(), n);
    // The parameters, of which the loop reads the first where its type is not known, and the sum.
    const std::uint64_t ints = type_set(Tag::Int).bits();
    for (const auto& words : code.reports)
      EXPECT_EQ(words, (std::vector<std::uint64_t>{ints, 0, ints}));
  }
}

// The innermost activation returns first.
TEST(RecursiveCode, ReportsTheTypesOfAllActivations) {
  constexpr const char* kText = R"(
function main()
  stop
function twice(var n, var x)
  var y = (x + x)
  branch (n == 0) $end $more
$more:
  call z = 'twice(0, 1.5)
  return z
$end:
  return y
)";
  for (const bool recursive : {false, true}) {
    profiler::SampledCode record{0, "f"};
    record.is_recursive = record.keeps_types = recursive;
    Compiled code{kText, CompileOptions{.level = 2}};
    code.sampled = &record;
    code.calls_itself = true;
    code.answer_at_return = profiler::Answer::Sample;
    code.code("twice");
    record.request = profiler::kRequestedAtReturn;
    EXPECT_EQ(code.call("twice", {integer(1), integer(10)}), Value(3.0));
    ASSERT_FALSE(code.reports.empty());
    const TypeSet types = recursive ? TypeSet{Kind::Int, Kind::Float} : TypeSet{Kind::Float};
    EXPECT_EQ(code.reports[0].at(1), types.bits());
  }
}

// Also a loop whose types are all known, which has nothing to report.
TEST_F(SampledLoops, AreLeftAtEachBackEdgeWhereTheCodeIsSlow) {
  Compiled& c = code;
  c.answer = profiler::Answer::Leave;
  c.instead = integer(7);
  EXPECT_EQ(call("known", 10, profiler::kLeaveSlow), integer(11));
  EXPECT_EQ(c.polls, 0U) << "the code is as fast as other code";
  record.instrumented_is_slow = true;
  Compiled slow{kSum, CompileOptions{.level = 0}};
  slow.sampled = &record;
  slow.answer = profiler::Answer::Leave;
  slow.instead = integer(7);
  record.request = profiler::kLeaveSlow;
  slow.code("known");
  EXPECT_EQ(slow.call("known", {integer(1), integer(10)}), integer(7));
  EXPECT_EQ(slow.polls, 1U);
  ASSERT_EQ(slow.exits.size(), 1U);
  EXPECT_EQ(slow.exits[0].by, "bailout");
}

TEST_F(SampledLoops, SayThatTheyAreEnteredForASample) {
  record.hits_until_instrumented = 1;
  EXPECT_EQ(call("up", 10, 0), integer(11));
  EXPECT_EQ(record.hits.load(), 1U);
}

} // namespace
} // namespace sourir::testing
