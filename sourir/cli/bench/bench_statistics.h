// Statistics of times: medians, and bootstrap intervals of ratios of medians (B. Efron and R.
// Tibshirani, An Introduction to the Bootstrap, 1993: the percentile interval). The iterations of
// one process depend on each other, so processes are resampled, and then the iterations of each (T.
// Kalibera and R. Jones, Rigorous Benchmarking in Reasonable Time, 2013).
// Units: whatever the times have. Errors: none. Threads: any.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sourir {

// For an even number of values the mean of the two in the middle. Precondition: not empty.
double median(std::vector<double> values);

// Times by process; a process that was measured as a whole has one.
using Timings = std::vector<std::vector<double>>;
// All times, whatever their process.
std::vector<double> all_times(const Timings& timings);

inline constexpr std::size_t kResamples = 10'000;
// Fewer times than this on a side say nothing about how they vary.
inline constexpr std::size_t kFewestTimes = 3;

// Logarithms of the ratio `now` / `old` of medians, in each of kResamples resamples, in which both
// sides are resampled independently. The same for the same arguments; different names give
// independent resamples. Precondition: all times are above 0, none of the sides is empty.
std::vector<double> resampled_log_ratios(const Timings& old, const Timings& now,
                                         std::string_view name);

struct RatioInterval {
  double low = 0, high = 0;
};
// The middle 95 % of the ratios with these logarithms. Precondition: not empty.
RatioInterval interval_of(std::vector<double> log_ratios);

// What an interval of ratios of times says.
enum class BenchVerdict : std::uint8_t {
  Faster,       // it is below 1
  Slower,       // it is above 1
  NoDifference, // it contains 1: no difference is shown
  TooFew,       // there is no interval
};
BenchVerdict verdict_of(const RatioInterval& interval);

} // namespace sourir
