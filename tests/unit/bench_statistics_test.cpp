// Bootstrap intervals on data of which the answer is known.
#include "sourir/cli/bench/bench_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sourir {
namespace {

TEST(BenchStatistics, MedianOfOddAndEvenNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(BenchStatistics, IntervalIsTheMiddleOfTheRatios) {
  std::vector<double> logarithms;
  for (int i = 1001; i >= 1; --i) logarithms.push_back(std::log(i));
  const RatioInterval interval = interval_of(logarithms);
  EXPECT_NEAR(interval.low, 26, 1e-9);
  EXPECT_NEAR(interval.high, 976, 1e-9);
}

TEST(BenchStatistics, VerdictIsThatOfTheWholeInterval) {
  EXPECT_EQ(verdict_of({0.8, 0.99}), BenchVerdict::Faster);
  EXPECT_EQ(verdict_of({1.01, 1.2}), BenchVerdict::Slower);
  EXPECT_EQ(verdict_of({0.99, 1.2}), BenchVerdict::NoDifference);
  EXPECT_EQ(verdict_of({1, 1.2}), BenchVerdict::NoDifference);
}

TEST(BenchStatistics, TimesWithoutNoiseGiveTheRatioItself) {
  const std::vector<double> ratios = resampled_log_ratios({{2}, {2}, {2}}, {{1}, {1}, {1}}, "x");
  EXPECT_EQ(ratios.size(), kResamples);
  const RatioInterval interval = interval_of(ratios);
  EXPECT_DOUBLE_EQ(interval.low, 0.5);
  EXPECT_DOUBLE_EQ(interval.high, 0.5);
}

TEST(BenchStatistics, SameArgumentsGiveTheSameResamples) {
  const Timings old = {{1}, {2}, {3}, {4}}, now = {{2}, {3}, {5}};
  EXPECT_EQ(resampled_log_ratios(old, now, "fib auto"), resampled_log_ratios(old, now, "fib auto"));
  EXPECT_NE(resampled_log_ratios(old, now, "fib auto"), resampled_log_ratios(old, now, "fib gcc"));
}

// Each resample of three distinct times: the median is the k-th with probability 7/27, 13/27, 7/27.
TEST(BenchStatistics, EachTimeIsDrawnAsOftenAsAnother) {
  std::size_t least = 0, middle = 0, most = 0;
  for (const double ratio : resampled_log_ratios({{1}}, {{1}, {2}, {4}}, "x")) {
    least += ratio == 0;
    middle += ratio == std::log(2.0);
    most += ratio == std::log(4.0);
  }
  EXPECT_EQ(least + middle + most, kResamples);
  const auto all = static_cast<double>(kResamples);
  EXPECT_NEAR(static_cast<double>(least) / all, 7.0 / 27, 0.02);
  EXPECT_NEAR(static_cast<double>(middle) / all, 13.0 / 27, 0.02);
}

// Two of three processes take 1, one takes 1.1. The median of all times is 1 in nearly every
// resample of times, but 1.1 where the slow process is drawn twice.
TEST(BenchStatistics, ProcessesAreResampledNotOnlyTheirIterations) {
  const std::vector<double> fast(100, 1.0), slow(100, 1.1);
  const RatioInterval nested = interval_of(resampled_log_ratios({{1}}, {fast, fast, slow}, "x"));
  EXPECT_DOUBLE_EQ(nested.high, 1.1);
  std::vector<double> one = fast;
  one.insert(one.end(), fast.begin(), fast.end());
  one.insert(one.end(), slow.begin(), slow.end());
  EXPECT_DOUBLE_EQ(interval_of(resampled_log_ratios({{1}}, {one}, "x")).high, 1);
}

// Times with noise of 3 %, and a true ratio of 1.2.
TEST(BenchStatistics, IntervalsContainTheTrueRatioAboutAsOftenAsTheySay) {
  std::mt19937_64 random(7);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11U) + 0.5) / 0x1p53; };
  const auto noise = [&] { // log-normal, by Box and Muller
    return std::exp(0.03 * std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()));
  };
  constexpr int kPairs = 200;
  int contained = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    Timings old, now;
    for (int i = 0; i < 10; ++i) old.push_back({noise()}), now.push_back({1.2 * noise()});
    const RatioInterval interval =
        interval_of(resampled_log_ratios(old, now, std::to_string(pair)));
    contained += interval.low <= 1.2 && 1.2 <= interval.high;
    EXPECT_EQ(verdict_of(interval), BenchVerdict::Slower);
  }
  EXPECT_GE(contained, kPairs * 90 / 100);
  EXPECT_LT(contained, kPairs); // they are no wider than that
}

} // namespace
} // namespace sourir
