// Deep recursion, limits and interruption in the baseline, and its feedback after them.
#include "native/engine/machine.h"
#include "tests/unit/engine_runs.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace sourir::testing {
namespace {

using native::EngineHooks;
using native::EngineRun;
using native::NativeSettings;

// A program that is run with these limits, in the baseline.
class BaselineRun {
public:
  explicit BaselineRun(const std::string& text, const Limits& limits = {},
                       const std::string& deopt = "never")
      : running_(text, {}, deopt, limits), input_(std::vector<Value>(), running_.names()) {
    settings.engine = NativeSettings::Engine::Baseline;
    settings.limits = limits;
    schedule_ = *parse_schedule(deopt, running_.names());
  }
  EngineRun operator()() {
    return run_engine(running_.program(), input_, schedule_, settings, hooks);
  }
  std::string difference() {
    return testing::difference(
        {running_.program(), {}, running_.names(), schedule_, settings.limits});
  }

  NativeSettings settings;
  EngineHooks hooks;

private:
  Running running_;
  Input input_;
  Schedule schedule_;
};

std::string depth(const std::string& n) {
  return "function main()\n call x = 'down(" + n +
         ")\n print x\n stop 7\n"
         "function down(var n)\n branch (n == 0) $end $more\n$end:\n return 0\n"
         "$more:\n call x = 'down((n - 1))\n return (x + 1)\n";
}

TEST(BaselineDepth, AMillionFramesRun) {
  BaselineRun run(depth("1000000"));
  std::string printed;
  run.hooks.print = [&](std::string_view line) { printed = line; };
  EXPECT_EQ(run().outcome.result, Value(std::int64_t{7}));
  EXPECT_EQ(printed, "1000000");
}

TEST(BaselineDepth, TenMillionAreALimit) {
  const EngineRun run = BaselineRun(depth("10000000"))();
  EXPECT_EQ(run.outcome.limit, Limit::Depth);
  EXPECT_EQ(run.outcome.depth, Limits().depth + 1);
  EXPECT_EQ(run.outcome.frames.size(), kReportedFrames);
  EXPECT_NE(run.outcome.message, "");
}

TEST(BaselineDepth, TheLimitIsThatOfTheReference) {
  for (const std::uint64_t most : {0, 1, 5, 1000}) {
    EXPECT_EQ(BaselineRun(depth("1000"), {.depth = most}).difference(), "") << most;
    EXPECT_EQ(BaselineRun(depth("999"), {.depth = most}).difference(), "") << most;
  }
}

TEST(BaselineDepth, EnvironmentsHaveALimit) {
  const EngineRun run = BaselineRun(depth("1000000"), {.stack = 1 << 20})();
  EXPECT_EQ(run.outcome.limit, Limit::Depth);
  EXPECT_LT(run.outcome.depth, 40'000U);
}

TEST(BaselineDepth, FramesThatAnExitMakesCount) {
  const std::string program =
      "function main()\n call x = 'f()\n stop x\n"
      "function f()\nversion fast\n assume [false] else (f, base, inner) [],"
      " (f, base, outer) [var y = $]\n return 0\n"
      "version base\n>start:\n call y = 'f()\n>outer:\n return y\n"
      ">inner:\n return 3\n";
  for (const std::uint64_t most : {1, 2, 3}) {
    BaselineRun run(program, {.depth = most});
    EXPECT_EQ(run.difference(), "") << most;
  }
}

constexpr const char* kForEver[] = {
    "function main()\nloop:\n goto loop\n",
    "function main()\n var i = 0\n goto loop\nloop:\n branch (i < 5) $a $b\n$a:\n goto loop\n"
    "$b:\n stop\n",
    "function main()\n var t = true\n goto loop\nloop:\n branch t $a $b\n$a:\n goto loop\n$b:\n "
    "stop\n",
    "function main()\nversion v\n assume [false] else (main, w, here) []\n stop\n"
    "version w\n>here:\n assume [false] else (main, w, here) []\n stop\n"};

TEST(BaselineFuel, WhatGoesOnForEverEnds) {
  for (const char* program : kForEver)
    for (const std::uint64_t fuel : {0, 1, 1000, 100'000})
      EXPECT_EQ(BaselineRun(program, {.fuel = fuel})().outcome.limit, Limit::Fuel)
          << program << fuel;
  EXPECT_EQ(BaselineRun(depth("1000000"), {.fuel = 5000})().outcome.limit, Limit::Fuel);
}

TEST(BaselineInterrupt, WhatGoesOnForEverEnds) {
  for (const char* program : kForEver) {
    BaselineRun run(program);
    std::atomic<bool> interrupt = false;
    run.hooks.interrupt = &interrupt;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      interrupt = true;
    });
    const EngineRun ended = run();
    EXPECT_EQ(ended.outcome.kind, OutcomeKind::Interrupted);
    EXPECT_EQ(ended.outcome.depth, 1U); // it noticed, and says where it was
  }
}

std::uint64_t pages() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  file >> size;
  return size;
}

TEST(BaselineMemory, AbandonedRunsFreeTheirStacks) {
  const auto abandoned = [] {
    EXPECT_EQ(BaselineRun(depth("9000000"), {.depth = 300'000})().outcome.limit, Limit::Depth);
  };
  abandoned();
  const std::uint64_t before = pages();
  for (int i = 0; i < 5; ++i) abandoned();
  EXPECT_LT(pages(), before + (64 << 20) / 4096);
}

// One of them is started from a thread that the collector does not know.
constexpr const char* kTakes =
    "function main()\n var i = 0\n goto loop\nloop:\n branch (i < 200) $body $done\n$body:\n"
    " array inner = [5]\n array box = [inner]\n inner <- nil\n call x = 'take(box)\n"
    " drop x\n drop inner\n drop box\n i <- (i + 1)\n goto loop\n$done:\n stop 1\n"
    "function take(var box)\n var t = box[0]\n box[0] <- nil\n var i = 0\n goto loop\n"
    "loop:\n branch (i < 20000) $more $done\n$more:\n i <- (i + 1)\n goto loop\n$done:\n"
    " var k = t[0]\n assert (k == 5)\n return k\n";
constexpr const char* kMakes =
    "function main()\n var i = 0\n goto loop\nloop:\n branch (i < 300000) $body $done\n"
    "$body:\n array a = [i]\n drop a\n i <- (i + 1)\n goto loop\n$done:\n stop 1\n";

TEST(BaselineMemory, RunsSideBySideKeepTheirArrays) {
  if (!native::kCollects) GTEST_SKIP() << "blocks come from malloc in this build";
  native::Heap::begin();
  const auto run = [](const char* text) {
    const native::EngineRun ended = BaselineRun(text, {.heap = 1 << 18})();
    EXPECT_EQ(ended.outcome.result, Value(std::int64_t{1})) << ended.outcome.message;
  };
  std::jthread other([&] { run(kMakes); });
  run(kTakes);
}

} // namespace
} // namespace sourir::testing
