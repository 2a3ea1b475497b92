// Calls of functions whose versions have contexts: native code enters the version that the
// reference enters, whatever is known of the arguments, and none that is not installed.
#include "native/engine/compiler_loader.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using Engine = native::NativeSettings::Engine;

native::NativeSettings dispatch_settings(Engine engine, unsigned level) {
  native::NativeSettings s;
  s.engine = engine;
  s.level = level;
  s.tiers.calls_until_native = 2;
  s.tiers.iterations_until_native = 2;
  s.background = false;
  s.counts_dispatches = true;
  s.compiler = native::compiler_from_library();
  return s;
}

struct Ran {
  std::vector<std::string> lines;
  native::EngineStatistics statistics;
  Outcome outcome;
  std::map<std::string, std::uint64_t> calls, direct; // by "function.version"
};

Ran run_dispatched(const std::string& text, const native::NativeSettings& s,
                   const std::string& deopt = "never") {
  Running running(text);
  Input input(std::vector<Value>(), running.names());
  Ran ran;
  native::EngineHooks hooks;
  hooks.print = [&](std::string_view line) { ran.lines.emplace_back(line); };
  Schedule schedule = *parse_schedule(deopt, running.names());
  EXPECT_TRUE(resolve(schedule, running.program()));
  native::EngineRun ended = run_engine(running.program(), input, schedule, s, hooks);
  ran.statistics = ended.statistics;
  ran.outcome = ended.outcome;
  for (const native::DispatchCounts& d : ran.statistics.dispatched) {
    const Names& names = running.names();
    const std::string name = std::string(names.text(d.version->function)) + "." +
                             std::string(names.text(d.version->version));
    ran.calls[name] = d.calls;
    ran.direct[name] = d.direct;
  }
  return ran;
}

std::vector<std::string> lines_of_reference(const std::string& text) {
  Running running(text);
  running.run();
  return running.lines;
}

std::string function_of(const std::vector<std::string>& contexts) {
  std::string text = "function f(var x, var y)\n";
  for (std::size_t i = 0; i < contexts.size(); ++i)
    text += "version v" + std::to_string(i) + " when [" + contexts[i] + "]\n  return " +
            std::to_string(i) + "\n";
  return text + "version base\n  return \"base\"\n";
}

const std::vector<std::string> kLiterals = {"nil", "true", "false", "0",     "2",  "3",    "0.0",
                                            "2.0", "2.5",  "\"a\"", "\"b\"", "'f", "'main"};

// All pairs of literals and arrays, read from an array: native code knows nothing of them.
std::string unknown_arguments() {
  std::string text =
      "function main()\n  array ints = [1, 2]\n  array floats = [0.5]\n"
      "  array bools = [true]\n  array none[0]\n  array nils[2]\n"
      "  array boxed = [1, \"a\"]\n  boxed[1] <- 3\n  array part[2]\n"
      "  part[0] <- 4\n  var nan = (0.0 / 0.0)\n  var minus = (-0.0)\n  array all = [";
  for (const std::string& literal : kLiterals) text += literal + ", ";
  return text + R"(nan, minus, ints, floats, bools, none, nils, boxed, part]
  var n = length(all)
  var i = 0
  goto outer
outer:
  branch (i < n) $row $end
$row:
  var j = 0
  goto inner
inner:
  branch (j < n) $here $next
$here:
  var x = all[i]
  var y = all[j]
  call r = 'f(x, y)
  print r
  drop x
  drop y
  drop r
  j <- (j + 1)
  goto inner
$next:
  drop j
  i <- (i + 1)
  goto outer
$end:
  stop 0
)";
}

const std::vector<std::string> kSomeLiterals = {"nil", "true", "2", "0.0", "\"a\"", "'f"};

// The same for some literals, in the text of the calls.
std::string known_arguments() {
  std::string text = "function main()\n";
  int calls = 0;
  for (const std::string& x : kSomeLiterals)
    for (const std::string& y : kSomeLiterals) {
      const std::string r = "r" + std::to_string(calls++);
      text += "  call " + r + " = 'f(" + x + ", " + y + ")\n  print " + r + "\n";
    }
  return text + "  stop 0\n";
}

const std::vector<std::vector<std::string>> kContexts = {
    {"(x is int)", "(x is float)"},
    {"(y is int)"},
    {"(x is int), (y is int)", "(x is int)", "(y is float), (x is float)"},
    {"(x == 2)", "(x == 2.0)", "(x == true)", "(y == \"a\")", "(x == 'f)"},
    {"(x == 0.0)", "(y == -0.0), (x is int)"},
    {"x", "(!y)", "(x && y)"},
    {"(x != nil), (y != nil), (x != y)", "(x == nil)"},
    {"(x == y)", "(x is array)"},
    {"(x is int[])", "(x is float[]), (y is int[])", "(y is bool[])", "(x is array)"},
    {"(x is int[]), (x is float[])"},
    {"false", "(x is string)"},
    {"(2 == x)", "(3 is int), (y is bool)"},
};

TEST(ContextDispatch, EntersTheVersionThatTheReferenceEnters) {
  for (const auto& contexts : kContexts)
    for (const bool known : {false, true}) {
      const std::string text =
          (known ? known_arguments() : unknown_arguments()) + function_of(contexts);
      const std::vector<std::string> expected = lines_of_reference(text);
      for (const auto& s :
           {dispatch_settings(Engine::Native, 0), dispatch_settings(Engine::Native, 2),
            dispatch_settings(Engine::Auto, 1)})
        EXPECT_EQ(run_dispatched(text, s).lines, expected)
            << contexts.front() << (known ? ", known" : "") << ", level " << s.level;
    }
}

// The interpreter makes no call here: native code chooses, in the dispatcher or when it is
// compiled.
TEST(ContextDispatch, NativeCodeChooses) {
  const std::vector<std::string> contexts = {"(x is int)", "(x is string)"};
  const auto sum = [](const std::map<std::string, std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const auto& [name, n] : counts) all += n;
    return all;
  };
  const Ran unknown = run_dispatched(unknown_arguments() + function_of(contexts),
                                     dispatch_settings(Engine::Native, 2));
  constexpr std::uint64_t kValues = 22;
  EXPECT_EQ(unknown.statistics.calls, 0U);
  EXPECT_EQ(unknown.calls.at("f.v0"), 3 * kValues);
  EXPECT_EQ(unknown.calls.at("f.v1"), 2 * kValues);
  EXPECT_EQ(unknown.calls.at("f.base"), (kValues - 5) * kValues);
  EXPECT_EQ(sum(unknown.direct), 0U);
  const Ran known = run_dispatched(known_arguments() + function_of(contexts),
                                   dispatch_settings(Engine::Native, 2));
  EXPECT_EQ(sum(known.calls), kSomeLiterals.size() * kSomeLiterals.size());
  EXPECT_EQ(known.direct, known.calls);
}

// A guard that may fail with an error, and schedules that choose versions: the runtime chooses.
TEST(ContextDispatch, TheRuntimeChoosesWhereNativeCodeMayNot) {
  const std::string text = unknown_arguments() + function_of({"(x < 3)", "(x is string)"});
  const Ran opaque = run_dispatched(text, dispatch_settings(Engine::Native, 2));
  EXPECT_EQ(opaque.lines, lines_of_reference(text));
  EXPECT_EQ(opaque.calls.at("f.v1"), 44U); // counted by the interpreter
  const std::string contexts = known_arguments() + function_of({"(x is int)"});
  const Ran always_base =
      run_dispatched(contexts, dispatch_settings(Engine::Native, 2), "enter:f.base");
  EXPECT_EQ(always_base.calls.at("f.v0"), 0U);
  EXPECT_EQ(always_base.calls.at("f.base"), kSomeLiterals.size() * kSomeLiterals.size());
  EXPECT_EQ(always_base.direct.at("f.base"), 0U);
}

constexpr const char* kExitsOften = R"(function main()
  array all = [1, 2.5, true, "a"]
  var i = 0
  var n = 0
  goto loop
loop:
  branch (i < 400) $go $end
$go:
  var k = (i % 4)
  var x = all[k]
  drop k
  call r = 'f(x, i)
  n <- (n + r)
  drop r
  drop x
  i <- (i + 1)
  goto loop
$end:
  print n
  stop n
function f(var x, var i)
version ints when [(x is int)]
  assume [(i < 20)] else (f, base, L) [var x = x, var i = i]
  return 1
version floats when [(x is float)]
  return 2
version base
>L:
  return 3
)";

// Code of one version exits, is invalidated with that of the others, freed, and compiled again.
TEST(ContextDispatch, EndsWithTheCodeOfAVersion) {
  for (const unsigned level : {0U, 2U}) {
    native::NativeSettings s = dispatch_settings(Engine::Auto, level);
    s.tiers.exits_until_invalidated = 1;
    s.tiers.most_invalidations = 1'000'000;
    s.osr_in = false;
    const Ran ran = run_dispatched(kExitsOften, s);
    EXPECT_EQ(ran.lines, lines_of_reference(kExitsOften));
    EXPECT_GT(ran.statistics.code_invalidated, 8U);
    EXPECT_GT(ran.statistics.freed, 24U);
    EXPECT_EQ(ran.calls.at("f.floats"), 100U);
  }
}

// The same while frames of the code wait in calls, and while the compiler's thread installs code.
TEST(ContextDispatch, NotUnderAFrame) {
  const std::string text = R"(function main()
  array all = [1, 2.5]
  call r = 'deep(all, 60, 1)
  call q = 'deep(all, 61, 2.5)
  print r
  print q
  stop 0
function deep(var all, var n, var x)
version ints when [(x is int), (n != 0)]
  var m = (n - 1)
  var k = (m % 2)
  var y = all[k]
  drop k
  call r = 'deep(all, m, y)
  assume [(n == 33)] else (deep, base, I) [var all = all, var n = n, var x = x, var r = r]
  return (r + n)
version floats when [(x is float), (n != 0)]
  var m = (n - 1)
  var k = (m % 2)
  var y = all[k]
  drop k
  call r = 'deep(all, m, y)
  return (r + 1)
version base
  branch true $end $never
$end:
  return 0
$never:
  var r = 0
  goto I
I:
  drop x
  drop all
  return (r + n)
)";
  for (const bool background : {false, true}) {
    native::NativeSettings s = dispatch_settings(Engine::Auto, 1);
    s.tiers.exits_until_invalidated = 1;
    s.tiers.most_invalidations = 1'000'000;
    s.background = background;
    EXPECT_EQ(run_dispatched(text, s).lines, lines_of_reference(text));
  }
}

TEST(ContextDispatch, RecursionGoesAsDeepAsWithoutContexts) {
  const std::string down = R"(function main()
  call r = 'down(100000)
  print r
  stop 0
function down(var n)
version zero when [(n == 0)]
  return 0
version base
  call r = 'down((n - 1))
  return (r + 1)
)";
  EXPECT_EQ(run_dispatched(down, dispatch_settings(Engine::Native, 2)).lines,
            std::vector<std::string>{"100000"});
  native::NativeSettings limited = dispatch_settings(Engine::Native, 2);
  limited.limits.depth = 50'000;
  EXPECT_EQ(run_dispatched(down, limited).outcome.limit, Limit::Depth);
}

TEST(ContextDispatch, AWrongNumberOfArgumentsIsStuck) {
  const std::string text = R"(function main()
  array all = ['f]
  var g = all[0]
  call r = g(1)
  stop r
)" + function_of({"(x is int)"});
  EXPECT_EQ(run_dispatched(text, dispatch_settings(Engine::Native, 2)).outcome.reason,
            StuckReason::WrongArity);
}

} // namespace
} // namespace sourir::testing
