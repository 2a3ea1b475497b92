#include "sourir/cli/bench/bench_statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace sourir {

namespace {

constexpr double kOutside = 0.025; // of the resamples, on each side of the interval

// Indices below n, the same with each standard library. (The 64 bits of the generator make the bias
// of the product negligible.)
class Resampler {
public:
  explicit Resampler(std::string_view name) {
    std::seed_seq seed(name.begin(), name.end());
    generator_.seed(seed);
  }

  double median_of(const Timings& timings) {
    drawn_.clear();
    for (std::size_t i = 0; i < timings.size(); ++i) {
      const std::vector<double>& process = timings[below(timings.size())];
      for (std::size_t k = 0; k < process.size(); ++k)
        drawn_.push_back(process[below(process.size())]);
    }
    return median(drawn_);
  }

private:
  std::size_t below(std::size_t n) { return ((generator_() >> 32U) * n) >> 32U; }

  std::mt19937_64 generator_;
  std::vector<double> drawn_;
};

} // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::vector<double> all_times(const Timings& timings) {
  std::vector<double> all;
  for (const std::vector<double>& process : timings)
    all.insert(all.end(), process.begin(), process.end());
  return all;
}

std::vector<double> resampled_log_ratios(const Timings& old, const Timings& now,
                                         std::string_view name) {
  Resampler resampler(name);
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double before = resampler.median_of(old);
    ratios.push_back(std::log(resampler.median_of(now) / before));
  }
  return ratios;
}

RatioInterval interval_of(std::vector<double> log_ratios) {
  std::ranges::sort(log_ratios);
  const std::size_t last = log_ratios.size() - 1;
  const auto outside = static_cast<std::size_t>(kOutside * static_cast<double>(last));
  return {std::exp(log_ratios[outside]), std::exp(log_ratios[last - outside])};
}

BenchVerdict verdict_of(const RatioInterval& interval) {
  if (interval.high < 1) return BenchVerdict::Faster;
  return interval.low > 1 ? BenchVerdict::Slower : BenchVerdict::NoDifference;
}

} // namespace sourir
