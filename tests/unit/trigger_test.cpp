// What requests samples: triggers, and the share of time that signals take.
#include "profiler/settings.h"
#include "profiler/trigger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

namespace sourir::profiler {
namespace {

// --- Triggers ---

int denied(perf_event_attr*, int, int, int, unsigned long) {
  errno = EACCES;
  return -1;
}

int no_timer(clockid_t, sigevent*, timer_t*) {
  errno = EAGAIN;
  return -1;
}

void count(void* context, const Interrupted& at) {
  auto& seen = *static_cast<std::atomic<std::uint64_t>*>(context);
  if (at.instruction != 0) seen.fetch_add(1);
}

// Works until there were some samples, for ten seconds at most.
std::uint64_t samples_of(const ChosenTrigger& chosen, const std::atomic<std::uint64_t>& seen) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (chosen.trigger && seen.load() < 20 && std::chrono::steady_clock::now() < end) {
  }
  return seen.load();
}

TEST(Trigger, ClockAndTimerInterruptThisThread) {
  for (const TriggerKind kind : {TriggerKind::Timer, TriggerKind::TaskClock}) {
    std::atomic<std::uint64_t> seen{0};
    const ChosenTrigger chosen = start_trigger({.kind = kind, .period = 1'000'000}, count, &seen);
    if (!chosen.trigger && kind == TriggerKind::TaskClock)
      GTEST_SKIP() << "perf events are not allowed here: " << chosen.refused.front();
    EXPECT_EQ(chosen.kind, kind);
    EXPECT_GE(samples_of(chosen, seen), 20U) << name_of(kind);
  }
}

TEST(Trigger, NothingComesWhenItIsGone) {
  std::atomic<std::uint64_t> seen{0};
  {
    const ChosenTrigger chosen =
        start_trigger({.kind = TriggerKind::Timer, .period = 200'000}, count, &seen);
    samples_of(chosen, seen);
  }
  const std::uint64_t then = seen.load();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(seen.load(), then);
}

TEST(Trigger, TheTimerIsTakenWherePerfEventsAreDenied) {
  std::atomic<std::uint64_t> seen{0};
  const ChosenTrigger chosen = start_trigger({.calls = {.perf_event_open = denied}}, count, &seen);
  EXPECT_EQ(chosen.kind, TriggerKind::Timer);
  EXPECT_EQ(chosen.refused, (std::vector<std::string>{"hardware counter: Permission denied",
                                                      "software clock: Permission denied"}));
  EXPECT_GE(samples_of(chosen, seen), 20U);
}

TEST(Trigger, WithoutAnyThereIsNone) {
  std::atomic<std::uint64_t> seen{0};
  const ChosenTrigger chosen =
      start_trigger({.calls = {.perf_event_open = denied, .timer_create = no_timer}}, count, &seen);
  EXPECT_EQ(chosen.trigger, nullptr);
  EXPECT_EQ(chosen.kind, std::nullopt);
  ASSERT_EQ(chosen.refused.size(), 3U);
  EXPECT_EQ(chosen.refused.back(), "timer: Resource temporarily unavailable");
}

// Only the one that was asked for, even if it is refused.
TEST(Trigger, IsNotReplacedWhenItWasAskedFor) {
  const ChosenTrigger chosen = start_trigger(
      {.kind = TriggerKind::Instructions, .calls = {.perf_event_open = denied}}, count, nullptr);
  EXPECT_EQ(chosen.trigger, nullptr);
  EXPECT_EQ(chosen.refused.size(), 1U);
}

TEST(Trigger, ABlockedThreadGetsNone) {
  std::uint64_t signals = 0;
  std::thread([&signals] {
    block_samples();
    std::atomic<std::uint64_t> seen{0};
    const ChosenTrigger chosen =
        start_trigger({.kind = TriggerKind::Timer, .period = 200'000}, count, &seen);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    signals = seen.load();
  }).join();
  EXPECT_EQ(signals, 0U);
}

// --- The share of time that signals take ---

TEST(SignalGaps, EachSignalLeavesAGap) {
  SignalGaps gaps;
  std::uint64_t now = 1'000;
  std::size_t seen = 0;
  gaps.add(now, seen);
  while (!gaps.complete()) {
    for (int i = 0; i < 3; ++i) gaps.add(now += 50, seen); // readings without a signal
    now += 7'000;                                          // a signal
    gaps.add(now += 50, ++seen);
    gaps.add(now += 50, seen);
  }
  EXPECT_EQ(seen, SignalGaps::kSignals);
  EXPECT_GE(gaps.median(), 7'000U);
  EXPECT_LE(gaps.median(), 7'150U);
}

// The readings between are no gaps: taken for some, they made the median small, the period short,
// and the program got no further between signals.
TEST(SignalGaps, SignalsInOneGapShareIt) {
  for (const std::size_t together : {2U, 3U, 5U, 6U}) {
    SignalGaps gaps;
    std::uint64_t now = 1'000;
    std::size_t seen = 0;
    gaps.add(now, seen);
    while (!gaps.complete()) {
      now += together * 60'000;
      gaps.add(now += 50, seen += together);
      for (int i = 0; i < 10; ++i) gaps.add(now += 50, seen);
    }
    EXPECT_GE(gaps.median(), 60'000U) << together;
    EXPECT_LE(gaps.median(), 60'100U) << together;
  }
}

// Per mille of the time, for signals of 8 us with `ns` between them at the factor 1.
std::uint64_t share_after(HandlerBudget& budget, int signals, std::uint64_t ns) {
  static constexpr std::uint64_t kHandler = 1'000;
  std::uint64_t now = 0;
  budget.begin(now, 7'000, {});
  for (int i = 0; i < signals; ++i) {
    now += ns * budget.factor();
    budget.after_signal(now, now + kHandler, true);
    now += kHandler;
  }
  return budget.spent() * 1000 / now;
}

TEST(HandlerBudget, SignalsThatTakeLittleKeepThePeriod) {
  HandlerBudget budget(1);
  EXPECT_EQ(share_after(budget, 1000, 1'000'000), 8U * 1000 / 1001);
  EXPECT_EQ(budget.factor(), 1U);
  EXPECT_EQ(budget.signals(), 1000U);
}

TEST(HandlerBudget, ThePeriodGrowsUntilTheLimitIsKept) {
  for (const std::uint64_t ns : {100U, 1'000U, 100'000U}) {
    for (const std::uint32_t limit : {1U, 5U}) {
      HandlerBudget budget(limit);
      const std::uint64_t permille = share_after(budget, 5000, ns);
      EXPECT_LE(permille, 10U * limit) << ns;
      EXPECT_GE(permille, 4U * limit) << ns;
    }
  }
}

// A timer whose signals take longer than was measured: one that comes during another is delivered
// when that one ends. The time of the program, in per mille.
std::uint64_t program_permille(std::uint64_t measured, std::uint64_t signal,
                               std::uint64_t handler) {
  HandlerBudget budget(100);
  const std::uint64_t shortest = 8 * measured; // the period, start_trigger
  budget.begin(0, measured, {});
  std::uint64_t now = 0, program = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t period = shortest * budget.factor();
    if (period > signal + handler) program += period - signal - handler;
    now += std::max(period, signal + handler) - handler;
    budget.after_signal(now, now + handler, true);
    now += handler;
  }
  return program * 1000 / now;
}

// At a limit of 100 signals took all the time where the handler was slow, and the program did not
// end.
TEST(HandlerBudget, TheProgramGetsOnAtAnyLimitWhereSignalsAreSlow) {
  for (const std::uint64_t times : {1U, 2U, 5U})
    for (const std::uint64_t handler : {100U, 10'000U, 40'000U, 1'000'000U})
      EXPECT_GE(program_permille(9'000, times * 9'000, handler), 20U) << times << ' ' << handler;
}

TEST(HandlerBudget, TheFactorDoesNotFallBelowItsFirstValue) {
  HandlerBudget budget(1);
  budget.begin(0, 8'000, {.usual = 64, .shortest = 1});
  for (std::uint64_t now = 1'000'000'000; now < 2'000'000'000; now += 100'000'000)
    EXPECT_FALSE(budget.after_signal(now, now, true));
  EXPECT_EQ(budget.factor(), 64U);
}

// Signals of 40 us at a period of 250 us times the factor, until `now` is this.
void take_signals(HandlerBudget& budget, std::uint64_t& now, std::uint64_t until, bool learns) {
  while (now < until) {
    now += 250'000 * budget.factor();
    budget.after_signal(now, now, learns);
  }
}

TEST(HandlerBudget, PeriodsAreShortAtFirstWhereSamplesTeach) {
  HandlerBudget budget(1, true);
  budget.begin(0, 40'000, {.usual = 16, .shortest = 2});
  std::uint64_t now = 0;
  take_signals(budget, now, 35'000'000, true);
  EXPECT_EQ(budget.factor(), 2U);
  EXPECT_GE(budget.signals(), 60U);
  take_signals(budget, now, 10'000'000'000, true);
  EXPECT_LE(budget.spent(), now / 100 + HandlerBudget::kAtFirst);
}

TEST(HandlerBudget, PeriodsGrowWhereSamplesTeachNothingAndAreShortAfterThat) {
  HandlerBudget budget(1, true);
  budget.begin(0, 40'000, {.usual = 16, .shortest = 2});
  std::uint64_t now = 0;
  take_signals(budget, now, 10'000'000'000, false);
  EXPECT_EQ(budget.factor(), 16 * HandlerBudget::kLongest);
  EXPECT_LE(budget.spent() * 500, now);
  take_signals(budget, now, now + 1, true);
  EXPECT_EQ(budget.factor(), 2U);
  take_signals(budget, now, 30'000'000'000, true);
  EXPECT_LE(budget.spent(), now / 100 + HandlerBudget::kAtFirst);
  EXPECT_GE(budget.spent(), now / 200);
}

TEST(Trigger, APeriodThatItCannotReachIsRaised) {
  for (const std::uint64_t period : {1U, 10'000U}) {
    std::atomic<std::uint64_t> seen{0};
    const ChosenTrigger chosen =
        start_trigger({.kind = TriggerKind::Timer, .period = period}, count, &seen);
    EXPECT_GE(samples_of(chosen, seen), 20U);
    EXPECT_GE(chosen.factor * period, 20'000U);
    EXPECT_GE(chosen.factor * period, chosen.signal_ns * kInstructionsPerNanosecond * 100);
  }
}

int silent_timer(clockid_t clock, sigevent*, timer_t* timer) {
  sigevent none{};
  none.sigev_notify = SIGEV_NONE;
  return timer_create(clock, &none, timer);
}

TEST(Trigger, WhereNoSignalIsMeasuredEachIsTakenToBeSlow) {
  std::atomic<std::uint64_t> seen{0};
  const ChosenTrigger chosen = start_trigger({.kind = TriggerKind::Timer,
                                              .period = 10'000,
                                              .limit = 5,
                                              .calls = {.timer_create = silent_timer}},
                                             count, &seen);
  EXPECT_GE(chosen.signal_ns, 10'000U);
  EXPECT_GE(chosen.factor * 10'000, chosen.signal_ns * kInstructionsPerNanosecond * 100 / 5);
}

TEST(Trigger, ASignalTakesAnEighthOfThePeriodAtMostAtAnyLimit) {
  for (const std::uint32_t limit : {1U, 60U, 100U}) {
    std::atomic<std::uint64_t> seen{0};
    const ChosenTrigger chosen = start_trigger({.kind = TriggerKind::Timer,
                                                .period = 10'000,
                                                .limit = limit,
                                                .calls = {.timer_create = silent_timer}},
                                               count, &seen);
    EXPECT_LE(chosen.shortest, chosen.factor) << limit;
    EXPECT_GE(chosen.shortest * 10'000, chosen.signal_ns * kInstructionsPerNanosecond * 8) << limit;
    EXPECT_GE(chosen.factor * 10'000, chosen.signal_ns * kInstructionsPerNanosecond * 100 / limit);
  }
}

} // namespace
} // namespace sourir::profiler
