// Metrics of a program: the numbers of events in its native code, as means over runs, since what is
// compiled when varies. And the metrics that differ between two ways to compile it, M_p of Basso,
// Prokopec, Rosà, Binder, "Optimization-aware compiler-level event profiling" (TOPLAS 2023),
// section 5.3, formulas 3 and 4. Pure.
#pragma once

#include "profiler/event_profile.h"

#include <span>
#include <vector>

namespace sourir::profiler {

struct MetricDifference {
  Event event = Event::Instruction;
  double a = 0, b = 0; // means
  // The runs of one side have more events, or fewer, than all runs of the other. Otherwise the
  // difference may be what runs vary by.
  bool apart = true;

  // (b - a) / the larger: -1 to 1.
  double relative() const;
};

// The metrics of which the means are more than `threshold` times the larger apart; the greatest
// difference first. Preconditions: there are runs of both; 0 <= threshold < 1.
std::vector<MetricDifference> differing_metrics(std::span<const EventCounts> a,
                                                std::span<const EventCounts> b,
                                                const EventSet& events, double threshold);

// Whether native code was counted in any of the runs.
bool any_native(std::span<const EventCounts> runs);
// The mean of interpreted_share().
double mean_interpreted_share(std::span<const EventCounts> runs);

} // namespace sourir::profiler
