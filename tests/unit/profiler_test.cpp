// The parts of the profiler: the rule of staleness, code that is sampled, samples in files.
#include "profiler/sample_log.h"
#include "profiler/sampled_code.h"
#include "profiler/settings.h"

#include <gtest/gtest.h>

#include <atomic>

namespace sourir::profiler {
namespace {

constexpr TypeSet kInt = Kind::Int, kFloat = Kind::Float, kArray = Kind::Array;
constexpr std::uint8_t kAnInt = 1U << 2, kAFloat = 1U << 3;
constexpr std::uint8_t kOfInts = kElements | kAnInt, kOfAny = kElements | 1;

// --- The rule of the thesis ---

// Each position has one slot.
struct Code : SampledCode {
  explicit Code(const std::vector<TypeSet>& used) : SampledCode(0, "f.v#1") {
    for (const TypeSet kinds : used) {
      slots.push_back(static_cast<std::uint16_t>(positions.size()));
      positions.emplace_back().used = kinds;
    }
  }
};

void sample(SampledCode& code, int times, const std::vector<std::uint8_t>& kinds) {
  for (int i = 0; i < times; ++i) code.count(kinds);
}

constexpr Thresholds kRule{.min_samples = 20, .max_samples = 200};

TEST(Staleness, NeedsT1Samples) {
  Code code({kInt | kFloat});
  sample(code, 19, {kAnInt});
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Unknown);
  sample(code, 1, {kAnInt});
  EXPECT_TRUE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Narrower);
}

TEST(Staleness, NeedsHalfOfTheSlots) {
  Code code({kInt | kFloat, kInt | kFloat, kInt | kFloat});
  sample(code, 50, {kAnInt, 0, 0});
  EXPECT_FALSE(code.judge(kRule));
  sample(code, 20, {kAnInt, kAnInt, 0});
  EXPECT_TRUE(code.judge(kRule));
}

TEST(Staleness, SlotsOfOnePositionAreOneSample) {
  Code code({kInt | kFloat});
  code.slots = {0, 0, kNoPosition};
  sample(code, 19, {kAnInt, kAnInt, kAnInt});
  EXPECT_FALSE(code.judge(kRule));
  sample(code, 1, {0, kAnInt, kAnInt});
  EXPECT_EQ(code.positions[0].samples(), 20U);
  EXPECT_TRUE(code.judge(kRule));
  sample(code, 1, {kAFloat, kAnInt, 0});
  EXPECT_EQ(code.positions[0].samples(), 21U);
  EXPECT_EQ(code.positions[0].sampled(), kInt | kFloat);
}

// A type that one in thirty of them has would be missed too often.
TEST(Staleness, ShortActivationsNeedMoreSamples) {
  Code code({kInt | kFloat});
  code.keeps_types = true;
  sample(code, 59, {kAnInt});
  EXPECT_FALSE(code.judge(kRule));
  sample(code, 1, {kAnInt});
  EXPECT_TRUE(code.judge(kRule));
}

TEST(Staleness, NeedsADifference) {
  Code code({kInt, kArray});
  sample(code, 100, {kAnInt, 1U << 6});
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Current);
}

TEST(Staleness, ADifferenceThatNobodyCanUseIsNone) {
  Code code({kInt | kFloat | kArray});
  sample(code, 30, {kAnInt});
  sample(code, 30, {kAFloat});
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Narrower);
}

TEST(Staleness, AnotherKindIsAChange) {
  Code code({kInt});
  sample(code, 20, {kAFloat});
  EXPECT_TRUE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Changed);
}

// The types of all values of a short loop.
TEST(Staleness, AReportCountsForEachOfItsTypes) {
  Code code({kInt | kFloat});
  sample(code, 20, {kAnInt | kAFloat});
  EXPECT_EQ(code.positions[0].samples(), 20U);
  EXPECT_EQ(code.positions[0].counts[2], 20U);
  EXPECT_EQ(code.positions[0].counts[3], 20U);
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Current);
}

// A recompilation would not know of the samples either.
TEST(Staleness, ValuesWithoutFeedbackAreNone) {
  Code code({kAnyType});
  sample(code, 100, {kAnInt});
  EXPECT_FALSE(code.judge(kRule));
}

TEST(Staleness, ArraysOfOneStorageAreADifference) {
  Code code({kInt | TypeSet(Kind::Nil)});
  code.positions[0].elements = true;
  sample(code, 20, {kAnInt}); // of a value, which such a slot does not sample
  EXPECT_EQ(code.positions[0].samples(), 0U);
  sample(code, 20, {kOfInts});
  EXPECT_TRUE(code.judge(kRule));
  EXPECT_EQ(code.positions[0].text(code.positions[0].sampled()), "int[]");
  EXPECT_EQ(code.positions[0].text(code.positions[0].used), "any[]|int[]");
}

// They would make code stale before there is enough of its types.
TEST(Staleness, ArraysDoNotCountForTheHalfThatIsReady) {
  Code code({kInt | kFloat, kInt | kFloat, kInt | TypeSet(Kind::Nil)});
  code.positions[2].elements = true;
  sample(code, 20, {0, 0, kOfInts});
  EXPECT_FALSE(code.judge(kRule));
  sample(code, 20, {kAnInt, 0, 0});
  EXPECT_TRUE(code.judge(kRule));
}

TEST(Staleness, ArraysOfAnyStorageAreNone) {
  Code code({kInt | TypeSet(Kind::Nil)});
  code.positions[0].elements = true;
  sample(code, 100, {kOfAny});
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.staleness(kRule), Staleness::Narrower);
}

TEST(Staleness, SamplesAboveMaxSamplesAreDropped) {
  Code code({kInt | kFloat});
  sample(code, 1, {kAFloat}); // the last one
  sample(code, 199, {kAnInt});
  EXPECT_FALSE(code.judge(kRule)); // both kinds
  sample(code, 1, {kAnInt});
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.positions[0].samples(), 0U);
  EXPECT_EQ(code.positions[0].cleared, 1U);
  sample(code, 20, {kAnInt});
  EXPECT_TRUE(code.judge(kRule));
}

TEST(Staleness, BackOffAsksForEightTimesAsMany) {
  Code code({kInt | kFloat});
  code.failed_recompilations = 2;
  sample(code, 64 * 20 - 1, {kAnInt});
  EXPECT_FALSE(code.judge(kRule));
  sample(code, 1, {kAnInt});
  EXPECT_TRUE(code.judge(kRule));
}

TEST(Staleness, CodeIsOpenUntilHalfIsReady) {
  Code code({kInt | kFloat, kInt | kFloat});
  EXPECT_TRUE(code.is_open(kRule));
  sample(code, 19, {kAnInt, 0});
  EXPECT_TRUE(code.is_open(kRule));
  sample(code, 1, {kAnInt, 0});
  EXPECT_FALSE(code.is_open(kRule));
  EXPECT_FALSE(Code({}).is_open(kRule));
  Code rare({kInt, kInt, kInt});
  sample(rare, 39, {kAnInt});
  EXPECT_TRUE(rare.is_open(kRule));
  sample(rare, 1, {kAnInt});
  EXPECT_FALSE(rare.is_open(kRule));
  Code silent({kInt});
  silent.hits = 160;
  EXPECT_TRUE(silent.is_open(kRule));
  silent.hits = 161;
  EXPECT_FALSE(silent.is_open(kRule));
  Code stale({kInt});
  stale.handled = true;
  EXPECT_FALSE(stale.is_open(kRule));
}

// --- What code says of its values ---

using SlotKinds = std::array<std::uint8_t, kMostSlots>;
constexpr std::uint32_t kInner = requested_at(1);

// Samples that agree with the feedback cost time for nothing.
TEST(SampledCode, RestsForAsManyHitsAsItHasHad) {
  Code code({kInt | kFloat});
  code.hits_until_instrumented = 1;
  int instrumented = 0;
  code.instrumented = &instrumented;
  code.record_hit();
  EXPECT_TRUE(code.begins_sample(requested_at(0)));
  code.hits = 50;
  for (int i = 0; i < 201; ++i) code.positions[0].count(i % 2 == 0 ? kAnInt : kAFloat);
  EXPECT_FALSE(code.judge(kRule));
  EXPECT_EQ(code.positions[0].samples(), 0U);
  for (int i = 1; i < 50; ++i) code.record_hit();
  EXPECT_FALSE(code.is_open(kRule));
  EXPECT_FALSE(code.begins_sample(requested_at(0)));
  code.record_hit();
  EXPECT_TRUE(code.is_open(kRule));
  EXPECT_TRUE(code.begins_sample(requested_at(0)));
}

TEST(SampledCode, SaysNothingBeforeItIsFound) {
  Code code({kInt | kFloat});
  const std::uint64_t words[] = {kAnInt};
  SlotKinds kinds{};
  EXPECT_FALSE(code.begins_sample(kInner));
  EXPECT_FALSE(code.receive(words, kinds));
  code.record_hit();
  EXPECT_EQ(code.hits.load(), 1U);
  EXPECT_TRUE(code.begins_sample(kInner));
  EXPECT_TRUE(code.receive(words, kinds));
  EXPECT_EQ(kinds[0], kAnInt);
  EXPECT_FALSE(code.begins_sample(kInner));
  EXPECT_FALSE(code.receive(words, kinds));
}

TEST(SampledCode, WordsThatAreNoKindsSayNothing) {
  Code code({kInt | kFloat, kInt});
  const std::uint64_t words[] = {kElements, 0};
  SlotKinds kinds{};
  code.record_hit();
  EXPECT_FALSE(code.receive(words, kinds));
}

// The outer loop says again what it says of slots that had no value when the inner one spoke.
TEST(SampledCode, EachSlotIsSampledOnce) {
  Code code({kInt | kFloat, kInt | kFloat, kInt | kFloat});
  const std::uint64_t none = 0;
  const std::uint64_t words[] = {kAnInt, none, none}, later[] = {kAFloat, kAFloat, kAFloat};
  SlotKinds kinds{};
  code.record_hit();
  EXPECT_TRUE(code.receive(words, kinds));
  EXPECT_EQ(kinds[0], kAnInt);
  EXPECT_EQ(kinds[1], 0);
  EXPECT_EQ(kinds[2], 0);
  EXPECT_TRUE(code.begins_sample(requested_at(0)));
  EXPECT_TRUE(code.receive(later, kinds));
  EXPECT_EQ(kinds[0], 0);
  EXPECT_EQ(kinds[1], kAFloat);
  EXPECT_EQ(kinds[2], kAFloat);
  EXPECT_FALSE(code.receive(later, kinds));
  EXPECT_FALSE(code.begins_sample(kRequestedAtReturn)) << "nothing is left to sample";
}

TEST(SampledCode, WhatElseIsAskedStaysAsked) {
  Code code({kInt | kFloat});
  code.request = kPollRuntime;
  code.record_hit();
  EXPECT_TRUE(code.begins_sample(kInner));
  EXPECT_NE(code.request.load() & kPollRuntime, 0U);
  EXPECT_NE(code.request.load() & kRequestedAtReturn, 0U);
  EXPECT_EQ(code.request.load() & kInner, 0U);
}

// Bits of the word mean one thing each.
static_assert(requested_at(kSafepointBits) == requested_at(0) &&
              (kRequestedAnywhere & (kLeaveLoop | kLeaveSlow | kPollRuntime | kBailOut)) == 0);
static_assert(requested_at(kSafepointBits - 1) != kRequestedAtReturn);

// --- Code with instrumented code of its own ---

// Callers find one of two addresses in a word.
struct EnteredByCalls : Code {
  EnteredByCalls() : Code({kInt | kFloat}) {
    hits_until_instrumented = 2;
    entry = &usual;
    calls = &word;
    asked_at = &next_call;
  }
  char usual = 0, reports = 0;
  std::atomic<void*> word{&usual};
  std::uint64_t next_call = 77;
};

TEST(InstrumentedCode, IsAskedForAtTheNextCallAfterSomeHits) {
  EnteredByCalls code;
  code.record_hit();
  EXPECT_EQ(code.word.load(), &code.usual);
  EXPECT_EQ(code.request.load(), 0U);
  code.record_hit();
  EXPECT_EQ(code.word.load(), nullptr);
  EXPECT_EQ(code.next_call, 0U);
}

TEST(InstrumentedCode, IsAskedForAfterFewerHitsOfLongerPeriods) {
  EnteredByCalls code;
  code.hits_until_instrumented = 32;
  code.period = 1'000;
  for (int i = 0; i < 3; ++i) code.record_hit({.now = 1, .period = 100'000});
  EXPECT_EQ(code.word.load(), &code.usual) << "one period may be long";
  code.record_hit({.now = 1, .period = 1});
  EXPECT_EQ(code.word.load(), nullptr);
}

TEST(InstrumentedCode, IsNotAskedForTwice) {
  EnteredByCalls code;
  code.asked_for_instrumented = true;
  for (int i = 0; i < 3; ++i) code.record_hit();
  EXPECT_EQ(code.word.load(), &code.usual);
  EXPECT_EQ(code.next_call, 77U);
}

TEST(InstrumentedCode, IsEnteredByAFewCallsForAHit) {
  EnteredByCalls code;
  code.instrumented = &code.reports;
  for (int hit = 0; hit < 2; ++hit) {
    for (int i = 0; i < 2; ++i) code.record_hit();
    int calls = 0;
    for (; code.word.load() == &code.reports && calls < 100; ++calls) code.begin_instrumented();
    EXPECT_EQ(code.word.load(), &code.usual);
    EXPECT_EQ(calls, 4);
  }
}

TEST(InstrumentedCode, OfShortActivationsReportsAtTheLastEntry) {
  for (const bool slow : {false, true}) {
    EnteredByCalls code;
    code.keeps_types = true;
    code.instrumented = &code.reports;
    for (int hit = 0; hit < 2; ++hit) {
      for (int i = 0; i < 2; ++i) code.record_hit({.now = 1, .period = 1'000'000});
      int calls = 0, reports = 0;
      for (std::uint64_t now = 1; code.word.load() == &code.reports && calls < 100; ++calls) {
        code.begin_instrumented(now);
        now += slow ? 60'000 : 1'000;
        code.leaves_instrumented(now);
        if (!code.begins_sample(kRequestedAtReturn)) continue;
        ++reports;
        std::array<std::uint64_t, kMostSlots> words{};
        words.fill(1);
        std::array<std::uint8_t, kMostSlots> types{};
        code.receive(words.data(), types);
      }
      EXPECT_EQ(calls, slow ? 3 : 8) << "after 100 us the next one is the last";
      EXPECT_EQ(reports, 1);
    }
  }
}

TEST(InstrumentedCode, LeavesOtherCodeInTheWord) {
  EnteredByCalls code;
  code.instrumented = &code.reports;
  char newer = 0;
  code.word = &newer; // installed meanwhile
  for (int i = 0; i < 3; ++i) code.record_hit();
  EXPECT_EQ(code.word.load(), &newer);
  for (int i = 0; i < 9; ++i) code.begin_instrumented();
  EXPECT_EQ(code.word.load(), &newer);
}

TEST(InstrumentedCode, IsEnteredAtPollsWhereCallsAreDispatched) {
  EnteredByCalls code;
  code.calls = nullptr;
  code.record_hit();
  code.record_hit();
  EXPECT_EQ(code.instrumented_to_enter(), nullptr) << "not compiled yet";
  EXPECT_EQ(code.request.load(), 0U) << "does not ask at each entry";
  code.instrumented = &code.reports;
  code.record_hit();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(code.instrumented_to_enter(), &code.reports);
    code.begin_instrumented();
  }
  EXPECT_EQ(code.instrumented_to_enter(), nullptr);
}

TEST(InstrumentedCode, IsEnteredByALoopThroughTheEntryOfItsCode) {
  EnteredByCalls code;
  code.calls = nullptr;
  code.instrumented = &code.reports;
  EXPECT_FALSE(code.leaves_loop(true)) << "nothing is requested";
  code.record_hit();
  code.record_hit();
  EXPECT_TRUE(code.leaves_loop(true));
  code.begin_instrumented();
  EXPECT_TRUE(code.leaves_instrumented());
  EXPECT_FALSE(code.leaves_instrumented()) << "once";
}

// Its rest would run in the baseline: only after many hits without an entry.
TEST(InstrumentedCode, IsEnteredFromOtherLoopsOnlyAfterManyHits) {
  EnteredByCalls code;
  code.calls = nullptr;
  code.instrumented = &code.reports;
  int hits = 0;
  for (; !code.leaves_loop(false) && hits < 100; ++hits) code.record_hit();
  EXPECT_EQ(hits, 17) << "the first does not count";
}

TEST(InstrumentedCode, IsNotEnteredAgainOnceAllIsSampled) {
  EnteredByCalls code;
  code.instrumented = &code.reports;
  for (int i = 0; i < 2; ++i) code.record_hit();
  code.begin_instrumented();
  EXPECT_EQ(code.word.load(), &code.reports);
  const std::uint64_t words[] = {kAnInt};
  SlotKinds kinds{};
  EXPECT_TRUE(code.receive(words, kinds));
  EXPECT_EQ(code.word.load(), &code.usual);
}

// That is entered from the next hit on.
struct Instrumented : EnteredByCalls {
  explicit Instrumented(bool slow) {
    instrumented = &reports;
    instrumented_is_slow = slow;
    for (int i = 0; i < 2; ++i) record_hit();
  }
};

// How many of so many hits let calls enter the instrumented code, all of which interrupt that.
int hits_that_enter(EnteredByCalls& code, int hits) {
  int entering = 0;
  for (int i = 0; i < hits; ++i) {
    code.record_hit({.in_instrumented = true});
    entering += code.word.load() == &code.reports ? 1 : 0;
    while (code.word.load() == &code.reports) code.begin_instrumented();
  }
  return entering;
}

TEST(InstrumentedCode, IsEnteredOnlyAsLongAsFewSignalsFindTheProgramThere) {
  Instrumented good(false), slow(true);
  EXPECT_EQ(hits_that_enter(good, 1000), 43) << "n <= 32 + (1 + n) / 4";
  EXPECT_EQ(hits_that_enter(slow, 1000), 4) << "8 n <= 32 + (1 + n) / 4";
}

// Hits with this time between them, each followed by a call that takes `call` in slow code.
int hits_that_enter_for(std::uint64_t call, std::uint64_t period, int hits) {
  EnteredByCalls code;
  code.instrumented = &code.reports;
  code.instrumented_is_slow = true;
  int entering = 0;
  for (int i = 1; i <= hits; ++i) {
    const std::uint64_t now = i * period;
    code.record_hit({.now = now, .period = period});
    if (code.word.load() != &code.reports) continue;
    ++entering;
    for (std::uint64_t n = 0; code.word.load() == &code.reports; ++n) {
      code.begin_instrumented(now + n * call);
      code.leaves_instrumented(now + (n + 1) * call);
    }
  }
  return entering;
}

// No signal finds the program in such calls, each of which begins when one has arrived.
TEST(InstrumentedCode, IsEnteredOnlyAsLongAsShortCallsTakeLittleTime) {
  EXPECT_EQ(hits_that_enter_for(10'000, 10'000'000, 1000), 999) << "4 calls are 0.4 %";
  EXPECT_EQ(hits_that_enter_for(1'000'000, 10'000'000, 1000), 81)
      << "8 * 4 ms * 80 <= 80 ms + 10 s / 4";
  EXPECT_EQ(hits_that_enter_for(10'000, 100'000, 1000), 329) << "8 * 40 us * 328 <= 80 ms + 25 ms";
}

TEST(InstrumentedCode, IsEnteredAgainAfterManyHitsElsewhere) {
  Instrumented code(true);
  hits_that_enter(code, 10);
  EXPECT_EQ(code.word.load(), &code.usual);
  int hits = 0;
  for (; code.word.load() == &code.usual && hits < 1000; ++hits) code.record_hit();
  EXPECT_EQ(hits, 180) << "8 * 10 <= 32 + (12 + n) / 4";
}

TEST(InstrumentedCode, ThatCallsWouldEnterIsTakenOutWhereSignalsFindTheProgramThere) {
  Instrumented code(true);
  for (int i = 0; i < 4; ++i) code.record_hit({.in_instrumented = true});
  EXPECT_EQ(code.word.load(), &code.reports);
  code.record_hit({.in_instrumented = true});
  EXPECT_EQ(code.word.load(), &code.usual);
  EXPECT_TRUE(code.begins_sample(kInner)) << "what runs now reports";
}

TEST(InstrumentedCode, ThatIsSlowIsLeftInTheMiddleOfALongCall) {
  Instrumented good(false), slow(true);
  for (int i = 0; i < 4; ++i) slow.record_hit({.in_instrumented = true});
  EXPECT_FALSE(slow.leaves_slow());
  slow.record_hit({.in_instrumented = true});
  EXPECT_TRUE(slow.leaves_slow());
  EXPECT_FALSE(slow.leaves_slow()) << "once";
  slow.record_hit({.in_instrumented = true});
  slow.begin_instrumented();
  EXPECT_FALSE(slow.leaves_slow()) << "that call has ended";
  for (int i = 0; i < 100; ++i) good.record_hit({.in_instrumented = true});
  EXPECT_FALSE(good.leaves_slow());
}

TEST(InstrumentedCode, IsEnteredSoonWhereTheNextEntryFollowsTheHitAtOnce) {
  EnteredByCalls code;
  EXPECT_TRUE(code.is_entered_soon(5'000'000)) << "without a clock";
  code.record_hit({.now = 1'000'000});
  code.record_hit({.now = 2'000'000});
  EXPECT_TRUE(code.is_entered_soon(2'050'000));
  EXPECT_FALSE(code.is_entered_soon(6'000'000));
  code.record_hit({.now = 6'000'000});
  EXPECT_FALSE(code.is_entered_soon(6'050'000)) << "the first has not been answered";
}

TEST(InstrumentedCode, IsNotEnteredByLoopsOfCodeThatBeginsAtAnExit) {
  for (const bool leaves : {true, false}) {
    EnteredByCalls code;
    code.calls = nullptr;
    code.instrumented = &code.reports;
    code.leaves_loops = leaves;
    for (int i = 0; i < 40; ++i) code.record_hit();
    EXPECT_EQ((code.request.load() & kLeaveLoop) != 0, leaves);
    EXPECT_EQ(code.instrumented_to_enter(), &code.reports) << "at its entry";
  }
}

// --- Which code an address belongs to ---

TEST(CodeTable, FindsCodeUntilItIsGone) {
  CodeTable table;
  SampledCode a(0, "a"), b(1, "b");
  ASSERT_TRUE(table.add(a, 1000, 100) && table.add(b, 1100, 50) && table.add(a, 2000, 10));
  EXPECT_EQ(table.find(1000), &a);
  EXPECT_EQ(table.find(1099), &a);
  EXPECT_EQ(table.find(1100), &b);
  EXPECT_EQ(table.find(1150), nullptr);
  EXPECT_EQ(table.find(2005), &a) << "a second range";
  table.remove(a);
  EXPECT_EQ(table.find(1050), nullptr);
  EXPECT_EQ(table.find(2005), nullptr);
  ASSERT_TRUE(table.add(a, 1040, 10)) << "another one at the same place";
  EXPECT_EQ(table.find(1045), &a);
}

TEST(CodeTable, IsFullSomeDay) {
  CodeTable table;
  SampledCode code(0, "a");
  for (std::size_t i = 0; i < CodeTable::kMost; ++i) ASSERT_TRUE(table.add(code, 1, 1));
  EXPECT_FALSE(table.add(code, 1, 1));
}

// --- When ---

std::vector<std::uint32_t> waits(DutyCycle& cycle, int samples) {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < samples; ++i) all.push_back(cycle.after_sample());
  return all;
}

TEST(DutyCycle, WithoutBurstsNothingChanges) {
  DutyCycle cycle({});
  EXPECT_EQ(waits(cycle, 3), (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST(DutyCycle, BurstsAndPauses) {
  DutyCycle cycle({.burst = 3, .pause = 5});
  EXPECT_EQ(waits(cycle, 7), (std::vector<std::uint32_t>{0, 0, 5, 1, 0, 5, 1}));
}

TEST(DutyCycle, PausesGrowUntilThereIsActivity) {
  DutyCycle cycle({.burst = 2, .pause = 1, .adaptive = true});
  EXPECT_EQ(waits(cycle, 6), (std::vector<std::uint32_t>{0, 1, 1, 2, 1, 4}));
  cycle.record_activity();
  EXPECT_EQ(waits(cycle, 4), (std::vector<std::uint32_t>{1, 1, 1, 2}));
  EXPECT_EQ(waits(cycle, 40).back(), DutyCycleSettings::kLongest);
}

// --- Files ---

TEST(SampleLog, WhatIsWrittenIsRead) {
  SampleRecorder recorder(1 << 12);
  const Code code({kInt, kInt, kInt});
  recorder.add(7, code, {}, std::vector<std::uint32_t>{1, 0});
  recorder.add(7, code, std::vector<std::uint8_t>{kAnInt | kAFloat, 0, kOfInts}, {});
  recorder.add(9, code, {}, {});
  const std::vector<std::string> names{"f.v#1", "main.v#1"};
  const auto samples = recorder.read(names);
  EXPECT_EQ(samples, (std::vector<RecordedSample>{{7, "f.v#1", {}, {"main.v#1", "f.v#1"}},
                                                  {7, "f.v#1", {kAnInt | kAFloat, 0, kOfInts}, {}},
                                                  {9, "f.v#1", {}, {}}}));
  const auto again = read_samples(samples_text(samples, "timer"));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, samples);
}

// A header has 24 bytes.
TEST(SampleLog, AFullMemoryLosesSamples) {
  SampleRecorder recorder(50);
  const Code code({});
  for (int i = 0; i < 5; ++i) recorder.add(1, code, {}, {});
  EXPECT_EQ(recorder.lost(), 3U);
}

TEST(SampleLog, SaysWhatIsWrong) {
  const auto problem = [](std::string_view text) { return read_samples(text).error().message; };
  const std::string head = "{\"format\":\"samples\",\"version\":2}\n";
  EXPECT_EQ(problem(""), "it is empty");
  EXPECT_EQ(problem("nonsense"), "line 1: not a file of samples (version 2)");
  EXPECT_EQ(problem("{\"format\":5,\"version\":2}"), "line 1: not a file of samples (version 2)");
  for (const char* line :
       {"[]", "{\"at\":1}", "{\"at\":-1,\"code\":\"a\",\"kinds\":[]}",
        "{\"at\":1,\"code\":\"a\",\"kinds\":[\"double\"]}", "{\"at\":1,\"code\":2,\"kinds\":[]}"})
    EXPECT_EQ(problem(head + line), "line 2: not a sample") << line;
}

// --- Stacks ---

const Stacks kStacks = stacks_of(std::vector<RecordedSample>{{1, "f", {}, {"g", "main"}},
                                                             {2, "f", {}, {"g", "main"}},
                                                             {2, "f", {kAnInt}, {}},
                                                             {3, "main", {}, {}}},
                                 4, 0);

TEST(Stacks, Folded) { EXPECT_EQ(folded(kStacks), "[baseline] 4\nmain 1\nmain;g;f 2\n"); }

TEST(Stacks, Speedscope) {
  const std::string text = speedscope(kStacks, "x");
  EXPECT_NE(text.find(R"("samples":[[0],[1],[1,2,3]],"weights":[4,1,2])"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("endValue":7)"), std::string::npos) << text;
}

TEST(Stacks, FlameGraph) {
  Stacks stacks = kStacks;
  stacks[{"<b>"}] = 1;
  const std::string page = flame_graph(stacks, "a & b");
  // Of the page, what is not of d3-flame-graph; the values are those without callees.
  for (const char* const part :
       {"<title>a &amp; b</title>", R"({"name":"a & b","value":0,"children":[)",
        R"({"name":"\u003cb>","value":1,"children":[]})",
        R"({"name":"main","value":1,"children":[{"name":"g","value":0,"children":)"
        R"([{"name":"f","value":2,"children":[]}]}]})",
        R"("context":"a & b: 8 samples.)"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("_json **/"), std::string::npos) << "a placeholder is left";
}

} // namespace
} // namespace sourir::profiler
