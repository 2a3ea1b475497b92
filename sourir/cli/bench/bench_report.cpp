#include "sourir/cli/bench/bench_report.h"

#include "sourir/cli/load_file.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/value_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

constexpr std::size_t kNarrowest = 9;

using Row = std::vector<std::string>;

std::string time_text(double seconds) {
  if (seconds < 0.01) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

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

// One line a program, numbers at the right; behind the title the names of the competitors.
class Table {
public:
  Table(const BenchResults& results, const std::string& title) : results_(results) {
    Row names = {title};
    for (const BenchCompetitor& c : results.competitors) names.push_back(printable(c.name));
    add(std::move(names));
  }

  void add(Row row) { rows_.push_back(std::move(row)); }

  template <class Cell>
  void add_programs(Cell&& cell) {
    for (std::size_t p = 0; p < results_.programs.size(); ++p) {
      Row row = {results_.programs[p].name};
      for (std::size_t c = 0; c < results_.competitors.size(); ++c) row.push_back(cell(p, c));
      add(std::move(row));
    }
  }

  std::string text() const {
    std::vector<std::size_t> widths(rows_[0].size(), kNarrowest);
    for (const Row& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string out;
    for (const Row& row : rows_) {
      std::string line = fmt::format("{:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i)
        line += fmt::format("  {:>{}}", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

private:
  const BenchResults& results_;
  std::vector<Row> rows_;
};

std::string time_table(const BenchResults& results) {
  Table table(results, results.by_cpu ? "processor time" : "wall time");
  table.add_programs(
      [&](std::size_t p, std::size_t c) { return time_cell(results, results.cell(p, c)); });
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

// What is behind the words in the tables.
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

Json numbers_of(const BenchCell& cell, double BenchSample::* member) {
  Json all = Json::array();
  for (const BenchSample& s : cell.samples) all.push_back(s.*member);
  return all;
}

Json cell_json(const BenchResults& results, std::size_t program, std::size_t competitor) {
  const BenchCell& cell = results.cell(program, competitor);
  Json json = {{"competitor", results.competitors[competitor].name},
               {"contender", results.competitors[competitor].name},
               {"outcome", name_of(cell.outcome)}};
  if (!cell.detail.empty()) json["detail"] = cell.detail;
  json["wall"] = numbers_of(cell, &BenchSample::wall);
  json["cpu"] = numbers_of(cell, &BenchSample::cpu);
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
  out += memory_table(results) + "\n";
  out += fmt::format("Size {}, medians of {} after {} to warm up; ~ quartiles more than 10% "
                     "apart.\n",
                     results.size, counted(results.runs, "run"), results.warmup);
  return out + remarks(results);
}

std::string bench_json(const BenchResults& results) {
  Json json = {{"format", "bench"},
               {"version", 2},
               {"size", results.size},
               {"runs", results.runs},
               {"warmup", results.warmup},
               {"measure", results.by_cpu ? "cpu" : "wall"},
               {"interrupted", results.interrupted}};
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
  return json_text(json);
}

} // namespace sourir
