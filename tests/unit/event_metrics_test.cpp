// Metrics that differ (profiler/event_metrics.h), on numbers by hand: the source's formulas 3
// and 4.
#include "profiler/event_metrics.h"

#include <gtest/gtest.h>

namespace sourir::profiler {
namespace {

using Runs = std::vector<EventCounts>;

// A run for each number.
Runs runs_of(Event event, std::initializer_list<std::int64_t> numbers) {
  Runs runs;
  for (const std::int64_t n : numbers)
    runs.emplace_back().native[static_cast<std::size_t>(event)] = n;
  return runs;
}

std::vector<MetricDifference> differing(const Runs& a, const Runs& b, double threshold = 0.1) {
  return differing_metrics(a, b, EventSet::all(), threshold);
}

TEST(EventMetrics, TheThresholdIsAShareOfTheLargerMean) {
  const Runs hundred = runs_of(Event::Guard, {100});
  EXPECT_TRUE(differing(hundred, runs_of(Event::Guard, {90})).empty()); // exactly a tenth
  EXPECT_EQ(differing(hundred, runs_of(Event::Guard, {89})).size(), 1U);
  EXPECT_TRUE(differing(runs_of(Event::Guard, {90}), hundred).empty());
  EXPECT_TRUE(differing(hundred, runs_of(Event::Guard, {111})).empty()); // 11 of 111
  EXPECT_EQ(differing(hundred, runs_of(Event::Guard, {112})).size(), 1U);
  EXPECT_EQ(differing(hundred, runs_of(Event::Guard, {101}), 0).size(), 1U);
  EXPECT_TRUE(differing(hundred, hundred, 0).empty());
}

TEST(EventMetrics, MeansOverRuns) {
  const auto found =
      differing(runs_of(Event::Branch, {10, 20, 30}), runs_of(Event::Branch, {30, 50}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].event, Event::Branch);
  EXPECT_EQ(found[0].a, 20);
  EXPECT_EQ(found[0].b, 40);
  EXPECT_EQ(found[0].relative(), 0.5);
  EXPECT_FALSE(found[0].apart); // both have a run with 30
  EXPECT_TRUE(
      differing(runs_of(Event::Branch, {10, 20}), runs_of(Event::Branch, {30, 21}))[0].apart);
}

TEST(EventMetrics, WhatIsOnOneSideOnlyDiffersWholly) {
  const auto gone = differing(runs_of(Event::Exit, {4}), runs_of(Event::Exit, {0}));
  EXPECT_EQ(gone.at(0).relative(), -1);
  EXPECT_EQ(differing(runs_of(Event::Exit, {0}), runs_of(Event::Exit, {4})).at(0).relative(), 1);
  EXPECT_TRUE(differing(runs_of(Event::Exit, {0}), runs_of(Event::Exit, {0}), 0).empty());
}

TEST(EventMetrics, TheGreatestDifferenceComesFirst) {
  Runs a = runs_of(Event::Guard, {1000}), b = runs_of(Event::Guard, {2000});
  a[0].native[static_cast<std::size_t>(Event::Exit)] = 1; // a greater share, a smaller number
  a[0].native[static_cast<std::size_t>(Event::LlvmLoad)] = 5000;
  const auto found = differing(a, b);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].event, Event::LlvmLoad);
  EXPECT_EQ(found[1].event, Event::Guard);
  EXPECT_EQ(found[2].event, Event::Exit);
}

TEST(EventMetrics, OnlyEventsThatWereCountedAndNativeCode) {
  Runs a = runs_of(Event::Guard, {10}), b = runs_of(Event::Guard, {20});
  a[0].interpreted[static_cast<std::size_t>(Event::Instruction)] = 100;
  EventSet others;
  others.insert(Event::Instruction);
  EXPECT_TRUE(differing_metrics(a, b, others, 0.1).empty());
  EXPECT_TRUE(any_native(a));
  a[0].native = {};
  EXPECT_FALSE(any_native(a));
  EXPECT_EQ(mean_interpreted_share(a), 1);
  EXPECT_EQ(mean_interpreted_share(b), 0);
}

} // namespace
} // namespace sourir::profiler
