#include "sourir/cli/bench/bench_report.h"

#include "sourir/cli/bench/bench_environment.h"
#include "sourir/cli/bench/bench_statistics.h"
#include "sourir/cli/bench/svg.h"
#include "sourir/cli/bench/text_table.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sourir {

namespace {

using Row = std::vector<std::string>;

std::string ratio_text(double ratio) {
  return ratio < 100 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio);
}

std::string time_cell(const BenchResults& results, const BenchCell& cell) {
  if (cell.outcome != BenchCell::Outcome::Fine) return name_of(cell.outcome);
  if (!cell.measured()) return "-";
  return time_text(median_time(results, cell)) + (is_noisy(results, cell) ? "~" : " ");
}

std::string memory_cell(const BenchCell& cell) {
  if (!cell.measured()) return "-";
  return fmt::format("{:.1f}", static_cast<double>(most_memory(cell)) / (1 << 20));
}

// A line for each program; the first line has the title and the names of the competitors.
class Table {
public:
  Table(const BenchResults& results, const std::string& title) : results_(results) {
    Row names = {title};
    for (const BenchCompetitor& c : results.competitors) names.push_back(printable(c.name));
    add(std::move(names));
  }

  void add(Row row) { table_.add(std::move(row)); }

  template <class Cell>
  void add_programs(Cell&& cell) {
    for (std::size_t p = 0; p < results_.programs.size(); ++p) {
      Row row = {results_.programs[p].name};
      for (std::size_t c = 0; c < results_.competitors.size(); ++c) row.push_back(cell(p, c));
      add(std::move(row));
    }
  }

  std::string text() const { return table_.text(); }

private:
  const BenchResults& results_;
  TextTable table_;
};

std::string time_table(const BenchResults& results) {
  Table table(results, results.by_cpu ? "processor time" : "wall time");
  table.add_programs(
      [&](std::size_t p, std::size_t c) { return time_cell(results, results.cell(p, c)); });
  return table.text();
}

std::string first_table(const BenchResults& results) {
  Table table(results, "first iteration");
  table.add_programs([&](std::size_t p, std::size_t c) {
    const BenchCell& cell = results.cell(p, c);
    return cell.processes.empty() ? "-" : time_text(first_time(results, cell)) + " ";
  });
  return table.text();
}

std::string ratio_table(const BenchResults& results, std::size_t base) {
  Table table(results, "ratio to " + printable(results.competitors[base].name));
  table.add_programs([&](std::size_t p, std::size_t c) {
    const auto r = ratio(results, p, c);
    return r ? ratio_text(*r) : std::string("-");
  });
  Row means = {"geometric mean"}, counts = {"of programs"};
  bool all = true;
  for (std::size_t c = 0; c < results.competitors.size(); ++c) {
    const GeometricMean mean = mean_ratio(results, c);
    means.push_back(mean.programs == 0 ? "-" : ratio_text(mean.ratio));
    counts.push_back(std::to_string(mean.programs));
    all = all && mean.programs == results.programs.size();
  }
  table.add(std::move(means));
  if (!all) table.add(std::move(counts));
  return table.text();
}

std::string memory_table(const BenchResults& results) {
  Table table(results, "memory in MiB");
  table.add_programs([&](std::size_t p, std::size_t c) { return memory_cell(results.cell(p, c)); });
  return table.text();
}

// The details of the words in the tables.
std::string remarks(const BenchResults& results) {
  std::string out;
  for (std::size_t p = 0; p < results.programs.size(); ++p)
    for (std::size_t c = 0; c < results.competitors.size(); ++c)
      if (const BenchCell& cell = results.cell(p, c); cell.outcome != BenchCell::Outcome::Fine)
        out += fmt::format("{}: {}: {}: {}\n", name_of(cell.outcome), results.programs[p].name,
                           results.competitors[c].name, cell.detail);
  for (const std::string& note : results.notes) out += note + "\n";
  return out;
}

Json numbers_of(const std::vector<BenchSample>& samples, double BenchSample::* member) {
  Json all = Json::array();
  for (const BenchSample& s : samples) all.push_back(s.*member);
  return all;
}

Json processes_json(const BenchCell& cell) {
  Json all = Json::array();
  for (const auto& samples : cell.processes)
    all.push_back({{"wall", numbers_of(samples, &BenchSample::wall)},
                   {"cpu", numbers_of(samples, &BenchSample::cpu)}});
  return all;
}

Json cell_json(const BenchResults& results, std::size_t program, std::size_t competitor) {
  const BenchCell& cell = results.cell(program, competitor);
  Json json = {{"competitor", results.competitors[competitor].name},
               {"contender", results.competitors[competitor].name},
               {"outcome", name_of(cell.outcome)}};
  if (!cell.detail.empty()) json["detail"] = cell.detail;
  json["wall"] = numbers_of(cell.samples, &BenchSample::wall);
  json["cpu"] = numbers_of(cell.samples, &BenchSample::cpu);
  if (results.iterations > 0) json["processes"] = processes_json(cell);
  if (!cell.processes.empty()) json["first"] = first_time(results, cell);
  json["memory"] = most_memory(cell);
  if (cell.measured()) json["median"] = median_time(results, cell);
  if (const auto r = ratio(results, program, competitor)) json["ratio"] = *r;
  return json;
}

Json competitor_json(const BenchCompetitor& competitor) {
  Json command = Json::array();
  for (const std::string& word : competitor.command) command.push_back(word);
  return {{"name", competitor.name},
          {"kind", competitor.kind == BenchCompetitor::Kind::Engine ? "engine" : "peer"},
          {"command", command},
          {"version", competitor.version}};
}

} // namespace

std::string bench_table(const BenchResults& results) {
  std::string out = time_table(results) + "\n";
  if (results.base) out += ratio_table(results, *results.base) + "\n";
  if (results.iterations > 0) out += first_table(results) + "\n";
  out += memory_table(results) + "\n";
  if (results.iterations > 0)
    out += fmt::format("Size {}, {} of {}: medians of the iterations after {} to warm up; ~ "
                       "quartiles more than 10% apart.\n",
                       results.size,
                       results.runs == 1 ? "1 process" : fmt::format("{} processes", results.runs),
                       counted(results.iterations, "iteration"), results.warmup);
  else
    out += fmt::format("Size {}, medians of {} after {} to warm up; ~ quartiles more than 10% "
                       "apart.\n",
                       results.size, counted(results.runs, "run"), results.warmup);
  return out + remarks(results);
}

nlohmann::ordered_json bench_json(const BenchResults& results) {
  Json json = {{"format", "bench"},
               {"version", 2},
               {"size", results.size},
               {"runs", results.runs},
               {"warmup", results.warmup},
               {"measure", results.by_cpu ? "cpu" : "wall"},
               {"interrupted", results.interrupted},
               {"machine", bench_machine()},
               {"build", bench_build()}};
  if (results.iterations > 0) json["iterations"] = results.iterations;
  if (results.base) json["base"] = results.competitors[*results.base].name;
  json["notes"] = results.notes;
  json["competitors"] = Json::array();
  for (const BenchCompetitor& c : results.competitors)
    json["competitors"].push_back(competitor_json(c));
  json["contenders"] = json["competitors"]; // the former name, for one release
  json["programs"] = Json::array();
  for (std::size_t p = 0; p < results.programs.size(); ++p) {
    Json cells = Json::array();
    for (std::size_t c = 0; c < results.competitors.size(); ++c)
      cells.push_back(cell_json(results, p, c));
    const BenchProgram& program = results.programs[p];
    json["programs"].push_back({{"name", program.name}, {"n", program.n}, {"results", cells}});
  }
  json["geometric_means"] = Json::array();
  for (std::size_t c = 0; c < results.competitors.size(); ++c)
    if (const GeometricMean mean = mean_ratio(results, c); mean.programs != 0)
      json["geometric_means"].push_back({{"competitor", results.competitors[c].name},
                                         {"contender", results.competitors[c].name},
                                         {"ratio", mean.ratio},
                                         {"programs", mean.programs}});
  return json;
}

// --- The chart -----------------------------------------------------------------------------------
// Ratios as bars on a logarithmic scale. Bars start at the line of the base: up is slower, down is
// faster.

namespace {

constexpr double kLeft = 56, kRight = 16, kTop = 64, kHeight = 320, kBottom = 110;
constexpr double kBar = 9, kGap = 14, kLegendColumn = 150, kLegendRow = 18;

class Plot {
public:
  explicit Plot(const BenchResults& results) : results_(results) {
    for (std::size_t c = 0; c < results.competitors.size(); ++c)
      if (c != results.base) shown_.push_back(c);
    const double groups = static_cast<double>(results.programs.size() + 1);
    group_ = std::max(kBar * static_cast<double>(shown_.size()), kBar) + kGap;
    width_ = std::max(kLeft + groups * group_ + kRight, 640.0);
    columns_ = std::max<std::size_t>(
        1, static_cast<std::size_t>((width_ - kLeft - kRight) / kLegendColumn));
    const std::size_t rows = (shown_.size() + columns_ - 1) / columns_;
    top_ = kTop + kLegendRow * static_cast<double>(rows);
    find_range();
  }

  std::string draw() {
    out_ = svg_start(width_, top_ + kHeight + kBottom);
    heading();
    scale();
    for (std::size_t p = 0; p < results_.programs.size(); ++p) program(p);
    means();
    return out_ + "</svg>\n";
  }

private:
  // The powers of two around all ratios that are shown.
  void find_range() {
    double least = 0, most = 1;
    const auto see = [&](double r) {
      least = std::min(least, std::floor(std::log2(r)));
      most = std::max(most, std::ceil(std::log2(r)));
    };
    for (const std::size_t c : shown_)
      for (std::size_t p = 0; p < results_.programs.size(); ++p)
        if (const auto r = ratio(results_, p, c)) see(*r);
    low_ = least;
    high_ = most;
  }

  double y(double r) const { return top_ + kHeight * (high_ - std::log2(r)) / (high_ - low_); }

  void text(double x, double at, const char* style, const std::string& what) {
    out_ += svg_text(x, at, style, what);
  }

  void heading() {
    const std::string base =
        results_.base ? results_.competitors[*results_.base].name : std::string("nothing");
    text(kLeft, 24, "title",
         (results_.by_cpu ? "Processor time" : "Wall time") + (" relative to " + base));
    text(kLeft, 42, "faint",
         fmt::format("size {}, medians of {}, logarithmic; below 1 is faster than {}",
                     results_.size, counted(results_.runs, "run"), base));
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const double x = kLeft + kLegendColumn * static_cast<double>(i % columns_);
      const std::size_t row = i / columns_;
      const double at = kTop + kLegendRow * static_cast<double>(row);
      out_ +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" fill=\"{}\"/>\n",
                      x, at - 10, series_colour(i));
      text(x + 16, at, "", results_.competitors[shown_[i]].name);
    }
  }

  void scale() {
    // About twelve lines at most.
    const double every = std::max(1.0, std::ceil((high_ - low_) / 12));
    for (double power = low_; power <= high_; ++power) {
      if (std::fmod(power, every) != 0) continue;
      const double r = std::exp2(power);
      out_ += svg_line(kLeft, y(r), width_ - kRight, y(r), r == 1 ? "var(--text)" : "var(--line)");
      text(kLeft - 8, y(r) + 4, "end faint", fmt::format("{:g}", r));
    }
  }

  void bar(double x, std::size_t i, double r, const std::string& what) {
    const double end = y(r), foot = y(1);
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                        "fill=\"{}\"><title>{}: {}: {:.2f}</title></rect>\n",
                        x, std::min(end, foot), kBar - 1, std::max(std::abs(end - foot), 1.0),
                        series_colour(i), escaped_markup(what),
                        escaped_markup(results_.competitors[shown_[i]].name), r);
  }

  double start_of(std::size_t group) const {
    return kLeft + kGap / 2 + static_cast<double>(group) * group_;
  }

  void name(std::size_t group, const std::string& what, const char* weight) {
    const double x = start_of(group) + (group_ - kGap) / 2 + 4, at = top_ + kHeight + 14;
    out_ += fmt::format("<text class=\"end\" font-weight=\"{3}\" transform=\"translate({0:.1f},"
                        "{1:.1f}) rotate(-45)\">{2}</text>\n",
                        x, at, escaped_markup(what), weight);
  }

  void program(std::size_t p) {
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const double x = start_of(p) + kBar * static_cast<double>(i);
      const BenchCell& cell = results_.cell(p, shown_[i]);
      if (const auto r = ratio(results_, p, shown_[i]))
        bar(x, i, *r, results_.programs[p].name);
      else if (cell.outcome != BenchCell::Outcome::Fine)
        missing(x, i,
                fmt::format("{}: {}: {}", results_.programs[p].name,
                            results_.competitors[shown_[i]].name, name_of(cell.outcome)));
    }
    name(p, results_.programs[p].name, "400");
  }

  // A cross where there is no time: it was too long, the run failed or the answer was wrong.
  void missing(double x, std::size_t i, const std::string& why) {
    const double left = x + 1, size = kBar - 3, at = y(1) - size - 3;
    out_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}l{2:.1f} {2:.1f}m0 -{2:.1f}l-{2:.1f} {2:.1f}\" "
                        "stroke=\"{3}\" stroke-width=\"2\"><title>{4}</title></path>\n",
                        left, at, size, series_colour(i), escaped_markup(why));
  }

  void means() {
    const std::size_t group = results_.programs.size();
    out_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
                        "stroke=\"var(--faint)\" stroke-dasharray=\"3 3\"/>\n",
                        start_of(group) - kGap / 2, top_, top_ + kHeight);
    for (std::size_t i = 0; i < shown_.size(); ++i)
      if (const GeometricMean mean = mean_ratio(results_, shown_[i]); mean.programs != 0)
        bar(start_of(group) + kBar * static_cast<double>(i), i, mean.ratio, "geometric mean");
    name(group, "geometric mean", "600");
  }

  const BenchResults& results_;
  std::vector<std::size_t> shown_;
  double group_ = 0, width_ = 0, top_ = 0, low_ = 0, high_ = 1;
  std::size_t columns_ = 1;
  std::string out_;
};

} // namespace

std::string bench_plot(const BenchResults& results) { return Plot(results).draw(); }

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
  case BenchCell::Outcome::NotRepeated: return "once";
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

double median_time(const BenchResults& results, const BenchCell& cell) {
  return median(times(results, cell));
}

double first_time(const BenchResults& results, const BenchCell& cell) {
  std::vector<double> all;
  for (const auto& samples : cell.processes)
    all.push_back(results.by_cpu ? samples.front().cpu : samples.front().wall);
  return median(all);
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
  if (of_base <= 0 || of_cell <= 0) return std::nullopt; // the clock of CPU time is coarse
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
