#include "sourir/cli/events/event_comparison.h"

#include "sourir/cli/bench/bench_compare.h"
#include "sourir/cli/bench/svg.h"
#include "sourir/cli/bench/text_table.h"
#include "sourir/cli/document.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sourir {

namespace {

using profiler::Event;
using profiler::MetricDifference;

BenchVerdict verdict_of_time(const ComparedProgram& p) {
  return p.interval ? verdict_of(*p.interval) : BenchVerdict::TooFew;
}

// Over programs: how many have a metric that differs.
struct MetricPrograms {
  Event event = Event::Instruction;
  std::size_t more = 0, fewer = 0; // of them in B
};

// The metric of the most programs first.
std::vector<MetricPrograms> over_programs(const EventComparison& c) {
  std::map<Event, MetricPrograms> by_event;
  for (const ComparedProgram& p : c.programs)
    for (const MetricDifference& d : p.differs) {
      MetricPrograms& m = by_event[d.event];
      m.event = d.event;
      ++(d.b > d.a ? m.more : m.fewer);
    }
  std::vector<MetricPrograms> all;
  for (const auto& [event, m] : by_event) all.push_back(m);
  std::ranges::stable_sort(all, [](const MetricPrograms& x, const MetricPrograms& y) {
    return x.more + x.fewer > y.more + y.fewer;
  });
  return all;
}

void compare_times(ComparedProgram& made, const MeasuredProgram& a, const MeasuredProgram& b) {
  if (a.seconds.empty() || b.seconds.empty()) return;
  made.a_seconds = median(a.seconds);
  made.b_seconds = median(b.seconds);
  if (std::ranges::min(a.seconds) == 0 || std::ranges::min(b.seconds) == 0) return;
  made.ratio = made.b_seconds / made.a_seconds;
  if (std::min(a.seconds.size(), b.seconds.size()) < kFewestTimes) return;
  Timings of_a, of_b; // each run is a process
  for (const double t : a.seconds) of_a.push_back({t});
  for (const double t : b.seconds) of_b.push_back({t});
  made.interval = interval_of(resampled_log_ratios(of_a, of_b, a.program));
}

} // namespace

bool EventComparison::any_difference() const {
  return std::ranges::any_of(programs, [](const ComparedProgram& p) { return !p.differs.empty(); });
}

bool EventComparison::undecided() const {
  return std::ranges::any_of(programs, [](const ComparedProgram& p) { return !p.compared(); });
}

ComparedProgram compare_program(const MeasuredProgram& a, const MeasuredProgram& b,
                                const profiler::EventSet& events, double threshold) {
  ComparedProgram made{.program = a.program};
  made.a_interpreted = profiler::mean_interpreted_share(a.runs);
  made.b_interpreted = profiler::mean_interpreted_share(b.runs);
  compare_times(made, a, b);
  made.native = profiler::any_native(a.runs) && profiler::any_native(b.runs);
  made.same_output = a.output == b.output;
  if (made.compared())
    made.differs = profiler::differing_metrics(a.runs, b.runs, events, threshold);
  return made;
}

// --- Text ----------------------------------------------------------------------------------------

namespace {

// Why nothing is compared.
std::string why_not(const ComparedProgram& p) {
  return p.native ? "the program prints something else than then" : "no native code ran";
}

std::string time_line(const EventComparison& c, const ComparedProgram& p) {
  std::string text = fmt::format("processor time: {} {}, {} {}", c.a.name, time_text(p.a_seconds),
                                 c.b.name, time_text(p.b_seconds));
  if (!p.ratio) return text + "\n";
  text += fmt::format("; {} / {} is {:.3f}", c.b.name, c.a.name, *p.ratio);
  if (p.interval) text += fmt::format(" ({})", interval_text(p.interval));
  return text + fmt::format(": {}\n", verdict_text(verdict_of_time(p)));
}

std::string interpreted_line(const EventComparison& c, const ComparedProgram& p) {
  if (p.a_interpreted == 0 && p.b_interpreted == 0) return {};
  return fmt::format("instructions in the interpreter: {} {:.1f} %, {} {:.1f} %\n", c.a.name,
                     100 * p.a_interpreted, c.b.name, 100 * p.b_interpreted);
}

std::string program_text(const EventComparison& c, const ComparedProgram& p) {
  std::string text = fmt::format("\n{}\n", printable(p.program)) + time_line(c, p);
  if (!p.compared()) return text + why_not(p) + ": nothing is compared\n";
  text += interpreted_line(c, p);
  if (p.differs.empty()) return text + "no metric differs\n";
  TextTable table;
  table.add({"metric", c.a.name, c.b.name, c.b.name + " / " + c.a.name});
  bool varies = false;
  for (const MetricDifference& d : p.differs) {
    varies |= !d.apart;
    table.add({std::string(profiler::type_of(d.event).name) + (d.apart ? "" : " ~"),
               fmt::format("{:.0f}", d.a), fmt::format("{:.0f}", d.b),
               d.a == 0 ? "only " + c.b.name : fmt::format("{:.3f}", d.b / d.a)});
  }
  return text + table.text() +
         (varies ? "~ runs of both overlap: it may be what runs vary by\n" : "");
}

std::string over_programs_text(const EventComparison& c) {
  const std::vector<MetricPrograms> metrics = over_programs(c);
  if (c.programs.size() < 2 || metrics.empty()) return {};
  TextTable table;
  table.add({"metric", "programs", "more in " + c.b.name, "fewer in " + c.b.name});
  for (const MetricPrograms& m : metrics)
    table.add({profiler::type_of(m.event).name, fmt::format("{}", m.more + m.fewer),
               fmt::format("{}", m.more), fmt::format("{}", m.fewer)});
  return fmt::format("\nover {}\n", counted(c.programs.size(), "program")) + table.text();
}

} // namespace

std::string comparison_text(const EventComparison& c) {
  std::string text;
  for (const EventComparison::Side& side : {c.a, c.b})
    text += fmt::format("{}: {}, {}\n", side.name, printable(side.what), counted(side.runs, "run"));
  text += fmt::format("metrics: means of events in native code, strategy {}; one differs by more "
                      "than {:g} of the larger\n",
                      c.strategy, c.threshold);
  for (const std::string& note : c.notes) text += "note: " + printable(note) + "\n";
  for (const ComparedProgram& p : c.programs) text += program_text(c, p);
  return text + over_programs_text(c);
}

// --- JSON ----------------------------------------------------------------------------------------

namespace {

Document side_json(const EventComparison::Side& side) {
  return {{"name", side.name}, {"what", side.what}, {"runs", side.runs}};
}

Document program_json(const ComparedProgram& p) {
  Document time = {{"a", p.a_seconds}, {"b", p.b_seconds}};
  if (p.ratio) put_ratio(time, *p.ratio, p.interval, verdict_of_time(p));
  Document metrics = Document::array();
  for (const MetricDifference& d : p.differs) {
    const profiler::EventType& type = profiler::type_of(d.event);
    metrics.push_back({{"event", type.name},
                       {"category", profiler::name_of(type.category)},
                       {"phase", profiler::name_of(type.phase)},
                       {"a", d.a},
                       {"b", d.b},
                       {"difference", d.relative()},
                       {"apart", d.apart}});
  }
  return {{"program", p.program},
          {"state", p.compared() ? "compared"
                    : p.native   ? "other-output"
                                 : "no-native-code"},
          {"time", std::move(time)},
          {"interpreted_share", {{"a", p.a_interpreted}, {"b", p.b_interpreted}}},
          {"metrics", std::move(metrics)}};
}

} // namespace

nlohmann::ordered_json comparison_json(const EventComparison& c) {
  Document json = {{"format", "event-comparison"},
                   {"version", 1},
                   {"a", side_json(c.a)},
                   {"b", side_json(c.b)},
                   {"strategy", c.strategy},
                   {"threshold", c.threshold},
                   {"notes", c.notes}};
  json["programs"] = Document::array();
  for (const ComparedProgram& p : c.programs) json["programs"].push_back(program_json(p));
  json["metrics"] = Document::array();
  for (const MetricPrograms& m : over_programs(c))
    json["metrics"].push_back({{"event", profiler::type_of(m.event).name},
                               {"programs", m.more + m.fewer},
                               {"more", m.more},
                               {"fewer", m.fewer}});
  return json;
}

// --- The chart -----------------------------------------------------------------------------------
// A row for each metric that differs, with a bar from the middle to the relative difference: to the
// right are more events in B, to the left fewer, at the edges none on one side.

namespace {

constexpr double kWidth = 760, kNames = 190, kMargin = 24, kHead = 76, kRow = 20, kFoot = 40;
constexpr std::size_t kLongest = 110; // characters in a line

class DifferencePlot {
public:
  explicit DifferencePlot(const EventComparison& c) : c_(c) {
    for (const ComparedProgram& p : c.programs)
      rows_ += 1 + std::max<std::size_t>(p.differs.size(), 1);
  }

  std::string draw() {
    const double bottom = kHead + kRow * static_cast<double>(rows_);
    out_ = svg_start(kWidth, bottom + kFoot);
    out_ += svg_text(kMargin, 24, "title",
                     fmt::format("Metrics that differ: {} beside {}", c_.b.name, c_.a.name));
    out_ += svg_text(
        kMargin, 42, "faint",
        cut(fmt::format("{}: {}; {}: {}", c_.a.name, c_.a.what, c_.b.name, c_.b.what), kLongest));
    out_ += svg_text(
        kMargin, 60, "faint",
        fmt::format("the difference of the means over the larger; right: more events in {}",
                    c_.b.name));
    for (const double tick : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      out_ += svg_line(x(tick), kHead, x(tick), bottom, tick == 0 ? "var(--text)" : "var(--line)");
      out_ += svg_text(x(tick), bottom + 18, "middle faint", fmt::format("{:+.0f} %", 100 * tick));
    }
    for (const ComparedProgram& p : c_.programs) program(p);
    return out_ + "</svg>\n";
  }

private:
  static double x(double difference) {
    const double half = (kWidth - kNames - 2 * kMargin) / 2;
    return kNames + kMargin + half * (1 + difference);
  }

  // Where the text of the next row stands.
  double next() { return kHead + kRow * static_cast<double>(row_++) + 14; }

  void program(const ComparedProgram& p) {
    const std::string time = p.ratio ? fmt::format(": time {:.2f}", *p.ratio) : "";
    out_ += svg_text(kMargin, next(), "", p.program + time);
    if (p.differs.empty())
      out_ += svg_text(kNames + kMargin, next(), "faint",
                       p.compared() ? "no metric differs" : why_not(p));
    for (const MetricDifference& d : p.differs) metric(d);
  }

  void metric(const MetricDifference& d) {
    const double y = next(), end = x(d.relative());
    out_ += svg_text(kNames, y, "end faint", profiler::type_of(d.event).name);
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "opacity=\"{}\"><title>{}: {:.0f}, {:.0f}</title></rect>\n",
        std::min(end, x(0)), y - 11, std::abs(end - x(0)), kRow - 6,
        series_colour(d.b > d.a ? 3 : 0), d.apart ? "1" : "0.4",
        escaped_markup(profiler::type_of(d.event).name), d.a, d.b);
  }

  const EventComparison& c_;
  std::size_t rows_ = 0, row_ = 0;
  std::string out_;
};

} // namespace

std::string comparison_plot(const EventComparison& comparison) {
  return DifferencePlot(comparison).draw();
}

} // namespace sourir
