// Invalidated code: freed when no activation uses it.
#include "native/engine/compiler_loader.h"
#include "sourir/passes/run_pipeline.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

native::NativeSettings settings() {
  native::NativeSettings s;
  s.engine = native::NativeSettings::Engine::Auto;
  s.level = 0;
  s.tiers.calls_until_native = 1;
  s.tiers.exits_until_invalidated = 1;
  s.osr_in = false;
  s.background = false;
  s.tiers.most_invalidations = 1'000'000;
  s.compiler = native::compiler_from_library();
  return s;
}

native::EngineRun run(const std::string& text, native::NativeSettings s) {
  Running running(text);
  Input input(std::vector<Value>(), running.names());
  s.names = &running.names();
  return run_engine(running.program(), input, Schedule(), s, {});
}

native::NativeSettings optimizing(const std::string& passes) {
  native::NativeSettings s = settings();
  s.optimizer =
      [passes](const native::OptimizerRequest& r) -> std::optional<native::OptimizedProgram> {
    auto made = optimize_function(r.program, r.function, r.feedback,
                                  std::get<Pipeline>(parse_pipeline(passes)), r.names);
    if (!made) return std::nullopt;
    return native::OptimizedProgram{std::move(made->program), std::move(made->map)};
  };
  return s;
}

// Every call leaves at the assume, and is the last of its code. (What the exits lead to would get
// code that stays.)
TEST(InvalidatedCode, EachIsFreedBeforeTheNextButOne) {
  native::NativeSettings s = settings();
  s.continuations = false;
  const native::EngineRun ran = run(R"(function main()
  var i = 0
  var s = 0
  goto loop
loop:
  branch (i < 600) $go $end
$go:
  call r = 'f(i)
  s <- (s + r)
  i <- (i + 1)
  drop r
  goto loop
$end:
  stop (s == 179700)
function f(var x)
version fast
  assume [(x is float)] else (f, base, L) [var x = x]
  return 0
version base
>L:
  return x
)",
                                    s);
  EXPECT_EQ(ran.outcome.result, Value(true));
  EXPECT_EQ(ran.statistics.code_invalidated, 300U);
  EXPECT_EQ(ran.statistics.freed + 1, ran.statistics.compiled);
}

// A hundred functions, each optimized for integers and then called with a float, which ends that.
TEST(InvalidatedCode, OptimizedVersionsGoWithTheirCode) {
  std::string text = "function main()\n";
  for (int f = 0; f < 100; ++f)
    for (const char* argument : {"1", "2", "1.5", "3"})
      text += "  call r" + std::to_string(f) + " = 'f" + std::to_string(f) + "(" + argument +
              ")\n  drop r" + std::to_string(f) + "\n";
  text += "  stop 7\n";
  for (int f = 0; f < 100; ++f)
    text += "function f" + std::to_string(f) + "(var x)\n  var y = (x + x)\n  return (y * x)\n";
  const native::EngineRun ran = run(text, optimizing("O2"));
  EXPECT_EQ(ran.outcome.result, Value(std::int64_t{7}));
  EXPECT_GE(ran.statistics.optimized, 100U);
  EXPECT_GE(ran.statistics.code_invalidated, 100U);
  EXPECT_GE(ran.statistics.freed + 1, ran.statistics.code_invalidated);
}

// Each activation deoptimizes under others of the same code, some of which is recompiled then.
TEST(InvalidatedCode, NotUnderAFrame) {
  const native::EngineRun ran = run(R"(function main()
  array a = [1, 2.5, 3, 0.5]
  call x = 'deep(a, 40)
  call y = 'deep(a, 41)
  var z = (x + y)
  stop (z == 1823.5)
function deep(var a, var q)
  branch (q == 0) $end $more
$end:
  return 0
$more:
  var m = (q % 4)
  var s = a[m]
  s <- (s + q)
  call r = 'deep(a, (q - 1))
  return (r + s)
)",
                                    optimizing("jit-guards"));
  EXPECT_EQ(ran.outcome.result, Value(true));
  EXPECT_GT(ran.statistics.code_invalidated, 2U);
}

} // namespace
} // namespace sourir::testing
