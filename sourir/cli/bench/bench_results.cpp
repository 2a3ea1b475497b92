#include "sourir/cli/bench/bench_results.h"

#include <algorithm>
#include <cmath>

namespace sourir {

namespace {

std::vector<double> times(const BenchResults& results, const BenchCell& cell) {
  std::vector<double> all;
  all.reserve(cell.samples.size());
  for (const BenchSample& s : cell.samples) all.push_back(results.by_cpu ? s.cpu : s.wall);
  return all;
}

} // namespace

const char* name_of(BenchCell::Outcome outcome) {
  switch (outcome) {
  case BenchCell::Outcome::Fine: return "fine";
  case BenchCell::Outcome::Wrong: return "wrong";
  case BenchCell::Outcome::Failed: return "failed";
  case BenchCell::Outcome::OutOfTime: return "timeout";
  }
  return "";
}

bool BenchResults::failed() const {
  for (const auto& row : cells)
    for (const BenchCell& cell : row)
      if (cell.outcome == BenchCell::Outcome::Wrong || cell.outcome == BenchCell::Outcome::Failed)
        return true;
  return false;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double median_time(const BenchResults& results, const BenchCell& cell) {
  return median(times(results, cell));
}

std::uint64_t most_memory(const BenchCell& cell) {
  std::uint64_t most = 0;
  for (const BenchSample& s : cell.samples) most = std::max(most, s.memory);
  return most;
}

bool is_noisy(const BenchResults& results, const BenchCell& cell) {
  std::vector<double> sorted = times(results, cell);
  std::ranges::sort(sorted);
  const std::size_t quarter = sorted.size() / 4;
  const double spread = sorted[sorted.size() - 1 - quarter] - sorted[quarter];
  return spread > 0.1 * median(sorted);
}

std::optional<double> ratio(const BenchResults& results, std::size_t program,
                            std::size_t competitor) {
  if (!results.base) return std::nullopt;
  const BenchCell& base = results.cell(program, *results.base);
  const BenchCell& cell = results.cell(program, competitor);
  if (!base.measured() || !cell.measured()) return std::nullopt;
  const double of_base = median_time(results, base), of_cell = median_time(results, cell);
  if (of_base <= 0 || of_cell <= 0) return std::nullopt; // the clock of processor time is coarse
  return of_cell / of_base;
}

GeometricMean mean_ratio(const BenchResults& results, std::size_t competitor) {
  GeometricMean mean;
  double logarithms = 0;
  for (std::size_t p = 0; p < results.programs.size(); ++p)
    if (const auto r = ratio(results, p, competitor)) {
      logarithms += std::log(*r);
      ++mean.programs;
    }
  if (mean.programs != 0) mean.ratio = std::exp(logarithms / static_cast<double>(mean.programs));
  return mean;
}

} // namespace sourir
