// Deep recursion in native code, and in native code and the interpreter by turns.
#include "native/engine/compiler_loader.h"
#include "sourir/syntax/json/load.h"
#include "tests/unit/engine_runs.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

#include <set>

namespace sourir::testing {
namespace {

using Engine = native::NativeSettings::Engine;

native::EngineRun run_native(const std::string& text, const Limits& limits = {},
                             unsigned level = 2) {
  Running running(text);
  Input input(std::vector<Value>(), running.names());
  const native::NativeSettings settings{.engine = Engine::Native,
                                        .limits = limits,
                                        .level = level,
                                        .compiler = native::compiler_from_library()};
  return run_engine(running.program(), input, Schedule(), settings, {});
}

std::string main_with(const std::string& n) {
  return "function main()\n call x = 'down(" + n + ")\n stop (x == " + n + ")\n";
}

const std::string kDown = "function down(var n)\n branch (n == 0) $end $more\n$end:\n return 0\n"
                          "$more:\n call x = 'down((n - 1))\n return (x + 1)\n";
// Calls of it go through the interpreter, which looks at its contexts.
const std::string kByTurns =
    "function down(var n)\nversion odd when [(n == -1)]\n return 0\nversion base\n"
    " branch (n == 0) $end $more\n$end:\n return 0\n"
    "$more:\n call x = 'down((n - 1))\n return (x + 1)\n";
// Each activation leaves, and goes on in the interpreter.
const std::string kDeoptimizes =
    "function down(var n)\nversion fast\n assume [(n == -1)] else (down, base, start) [var n = n]\n"
    " return 0\nversion base\n>start:\n branch (n == 0) $end $more\n$end:\n return 0\n"
    "$more:\n call x = 'down((n - 1))\n return (x + 1)\n";
// What fails in the innermost activation is done again in the interpreter, which says what it is.
const std::string kFails =
    "function down(var n)\n branch (n == 0) $end $more\n$end:\n return (n / n)\n"
    "$more:\n call x = 'down((n - 1))\n return (x + 1)\n";

// AddressSanitizer looks for a free place in its own stack of frames at each call of ours, and the
// longer the fuller it is: with it only native code goes deep.
std::vector<std::string> deep_programs() {
#ifdef __SANITIZE_ADDRESS__
  return {kDown};
#else
  return {kDown, kByTurns, kDeoptimizes};
#endif
}

TEST(DeepEngines, AMillionFramesRun) {
  const auto run = [](const std::string& down, unsigned level) {
    const native::EngineRun ended = run_native(main_with("1000000") + down, {}, level);
    EXPECT_EQ(ended.outcome.result, Value(true)) << ended.outcome.message << down;
  };
  for (const std::string& down : deep_programs()) run(down, 2);
  run(kDown, 0);
}

TEST(DeepEngines, TenMillionAreALimit) {
  for (const std::string& down : std::set{kDown, deep_programs().back()}) {
    const native::EngineRun run = run_native(main_with("10000000") + down);
    EXPECT_EQ(run.outcome.limit, Limit::Depth);
    EXPECT_EQ(run.outcome.depth, Limits().depth + 1);
    EXPECT_EQ(run.outcome.frames.size(), kReportedFrames);
  }
}

// Wherever the C stack ends, the runtime is not left in the middle: the collector's lock, among
// others, would stay locked, and the next run would wait for ever.
TEST(DeepEngines, TheStackEndsOutsideTheRuntime) {
  const std::string allocates =
      "function down(var n)\n array a[40]\n print a\n call x = 'down((n + 1))\n return a[x]\n";
  for (std::uint64_t more = 0; more < 40; ++more) {
    const native::EngineRun run =
        run_native(main_with("1") + allocates, {.stack = (more << 12) + (more << 4)}, 0);
    EXPECT_EQ(run.outcome.limit, Limit::Depth);
    EXPECT_GT(run.statistics.prints, 1000U);
  }
}

TEST(DeepEngines, TheLimitIsThatOfTheReference) {
  for (const std::string& down : {kDown, kByTurns, kDeoptimizes, kFails})
    for (const std::uint64_t most : {0, 1, 2, 30, 99, 100, 101, 102}) {
      Running running(main_with("100") + down);
      const EngineCase c{running.program(), {}, running.names(), {}, {.depth = most}};
      const native::NativeSettings settings{
          .engine = Engine::Native, .level = 0, .compiler = native::compiler_from_library()};
      EXPECT_EQ(difference(c, settings), "") << most << down;
    }
}

} // namespace
} // namespace sourir::testing
