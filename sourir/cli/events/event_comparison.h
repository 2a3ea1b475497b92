// Two ways to compile programs beside each other (`profile --compare`, `--against`): the metrics
// that differ, and how the processor time changes; as text, JSON
// (docs/schemas/event_comparison.schema.json) and chart. Pure. Units: seconds.
#pragma once

#include "profiler/event_metrics.h"
#include "sourir/cli/bench/bench_statistics.h"
#include "sourir/cli/events/kept_events.h"

#include <optional>
#include <string>
#include <vector>

namespace sourir {

struct ComparedProgram {
  std::string program;
  // Where one of both is false nothing is compared.
  bool native = true;      // both ran native code
  bool same_output = true; // both printed the same
  std::vector<profiler::MetricDifference> differs;
  double a_interpreted = 0, b_interpreted = 0; // mean shares of the instructions
  // Medians; `ratio`: b / a. Empty: a time of 0, the clock is too coarse.
  double a_seconds = 0, b_seconds = 0;
  std::optional<double> ratio;
  std::optional<RatioInterval> interval; // empty: too few times

  bool compared() const { return native && same_output; }
};

struct EventComparison {
  struct Side {
    std::string name, what; // "A", "passes jit-guards,licm"
    std::size_t runs = 0;   // of the first program
  };
  Side a, b;
  std::string strategy;
  profiler::EventSet events;
  double threshold = 0.1;
  std::vector<std::string> notes; // what else is different
  std::vector<ComparedProgram> programs;

  bool any_difference() const;
  // There is no answer for a program.
  bool undecided() const;
};

// Preconditions: the same program; both have runs.
ComparedProgram compare_program(const MeasuredProgram& a, const MeasuredProgram& b,
                                const profiler::EventSet& events, double threshold);

std::string comparison_text(const EventComparison& comparison);
nlohmann::ordered_json comparison_json(const EventComparison& comparison);
// An SVG: a bar for each metric that differs, below the name of its program.
std::string comparison_plot(const EventComparison& comparison);

} // namespace sourir
