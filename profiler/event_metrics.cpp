#include "profiler/event_metrics.h"

#include <algorithm>
#include <cmath>

namespace sourir::profiler {

namespace {

struct Metric {
  double mean = 0;
  std::int64_t least = 0, most = 0;
};

Metric metric(std::span<const EventCounts> runs, Event event) {
  const auto e = static_cast<std::size_t>(event);
  Metric m{0, runs.front().native[e], runs.front().native[e]};
  for (const EventCounts& run : runs) {
    m.mean += static_cast<double>(run.native[e]) / static_cast<double>(runs.size());
    m.least = std::min(m.least, run.native[e]);
    m.most = std::max(m.most, run.native[e]);
  }
  return m;
}

} // namespace

double MetricDifference::relative() const {
  const double larger = std::max(a, b);
  return larger == 0 ? 0 : (b - a) / larger;
}

std::vector<MetricDifference> differing_metrics(std::span<const EventCounts> a,
                                                std::span<const EventCounts> b,
                                                const EventSet& events, double threshold) {
  std::vector<MetricDifference> all;
  for (const EventType& type : event_types()) {
    if (!events.contains(type.event)) continue;
    const Metric of_a = metric(a, type.event), of_b = metric(b, type.event);
    if (std::abs(of_a.mean - of_b.mean) > threshold * std::max(of_a.mean, of_b.mean))
      all.push_back(
          {type.event, of_a.mean, of_b.mean, of_a.most < of_b.least || of_b.most < of_a.least});
  }
  std::ranges::stable_sort(all, [](const MetricDifference& x, const MetricDifference& y) {
    return std::abs(x.b - x.a) > std::abs(y.b - y.a);
  });
  return all;
}

bool any_native(std::span<const EventCounts> runs) {
  return std::ranges::any_of(runs, [](const EventCounts& run) {
    return std::ranges::any_of(run.native, [](std::int64_t n) { return n != 0; });
  });
}

double mean_interpreted_share(std::span<const EventCounts> runs) {
  double sum = 0;
  for (const EventCounts& run : runs) sum += interpreted_share(run);
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

} // namespace sourir::profiler
