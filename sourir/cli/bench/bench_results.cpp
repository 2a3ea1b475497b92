#include "sourir/cli/bench/bench_results.h"

#include "sourir/semantics/text/value_json.h"

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

Json numbers_of(const BenchCell& cell, double BenchSample::* member) {
  Json all = Json::array();
  for (const BenchSample& s : cell.samples) all.push_back(s.*member);
  return all;
}

Json cell_json(const BenchResults& results, std::size_t program, std::size_t contender) {
  const BenchCell& cell = results.cell(program, contender);
  Json json = {{"contender", results.contenders[contender].name},
               {"outcome", name_of(cell.outcome)}};
  if (!cell.detail.empty()) json["detail"] = cell.detail;
  json["wall"] = numbers_of(cell, &BenchSample::wall);
  json["cpu"] = numbers_of(cell, &BenchSample::cpu);
  json["memory"] = most_memory(cell);
  if (cell.measured()) json["median"] = median_time(results, cell);
  if (const auto r = ratio(results, program, contender)) json["ratio"] = *r;
  return json;
}

Json contender_json(const BenchContender& contender) {
  Json command = Json::array();
  for (const std::string& word : contender.command) command.push_back(word);
  return {{"name", contender.name},
          {"kind", contender.kind == BenchContender::Kind::Engine ? "engine" : "peer"},
          {"command", command},
          {"version", contender.version}};
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
                            std::size_t contender) {
  if (!results.base) return std::nullopt;
  const BenchCell& base = results.cell(program, *results.base);
  const BenchCell& cell = results.cell(program, contender);
  if (!base.measured() || !cell.measured()) return std::nullopt;
  const double of_base = median_time(results, base), of_cell = median_time(results, cell);
  if (of_base <= 0 || of_cell <= 0) return std::nullopt; // the clock of processor time is coarse
  return of_cell / of_base;
}

GeometricMean mean_ratio(const BenchResults& results, std::size_t contender) {
  GeometricMean mean;
  double logarithms = 0;
  for (std::size_t p = 0; p < results.programs.size(); ++p)
    if (const auto r = ratio(results, p, contender)) {
      logarithms += std::log(*r);
      ++mean.programs;
    }
  if (mean.programs != 0) mean.ratio = std::exp(logarithms / static_cast<double>(mean.programs));
  return mean;
}

std::string bench_json(const BenchResults& results) {
  Json json = {{"format", "bench"},
               {"version", 1},
               {"size", results.size},
               {"runs", results.runs},
               {"warmup", results.warmup},
               {"measure", results.by_cpu ? "cpu" : "wall"},
               {"interrupted", results.interrupted}};
  if (results.base) json["base"] = results.contenders[*results.base].name;
  json["notes"] = results.notes;
  json["contenders"] = Json::array();
  for (const BenchContender& c : results.contenders)
    json["contenders"].push_back(contender_json(c));
  json["programs"] = Json::array();
  for (std::size_t p = 0; p < results.programs.size(); ++p) {
    Json cells = Json::array();
    for (std::size_t c = 0; c < results.contenders.size(); ++c)
      cells.push_back(cell_json(results, p, c));
    const BenchProgram& program = results.programs[p];
    json["programs"].push_back({{"name", program.name}, {"n", program.n}, {"results", cells}});
  }
  json["geometric_means"] = Json::array();
  for (std::size_t c = 0; c < results.contenders.size(); ++c)
    if (const GeometricMean mean = mean_ratio(results, c); mean.programs != 0)
      json["geometric_means"].push_back({{"contender", results.contenders[c].name},
                                         {"ratio", mean.ratio},
                                         {"programs", mean.programs}});
  return json_text(json);
}

} // namespace sourir
