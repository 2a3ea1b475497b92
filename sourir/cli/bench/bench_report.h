// Benchmark results: outcomes and samples of each program and competitor; medians, ratios and means
// of them; and their forms as tables, JSON (docs/schemas/bench.schema.json) and chart.
#pragma once

#include "sourir/cli/bench/bench_competitors.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sourir {

struct BenchSample {
  double wall = 0, cpu = 0; // seconds
  std::uint64_t memory = 0; // bytes
};

struct BenchCell {
  // NotRepeated: a peer that is right once in a process, and not again.
  enum class Outcome : std::uint8_t { Fine, Wrong, Failed, OutOfTime, NotRepeated };

  Outcome outcome = Outcome::Fine;
  std::string detail;               // what was wrong
  std::vector<BenchSample> samples; // those that count
  // With iterations: of each process all, those that warm up included.
  std::vector<std::vector<BenchSample>> processes;

  bool measured() const { return outcome == Outcome::Fine && !samples.empty(); }
};
const char* name_of(BenchCell::Outcome outcome);

struct BenchResults {
  std::string size, folder;
  std::uint64_t runs = 0, warmup = 0;
  std::uint64_t iterations = 0;    // of each process, `warmup` of them do not count; 0: one
  bool by_cpu = false;             // ratios are of processor time, not of wall time
  std::optional<std::size_t> base; // the competitor that ratios are to
  bool interrupted = false;
  std::vector<std::string> notes;
  std::vector<BenchCompetitor> competitors;
  std::vector<BenchProgram> programs;
  std::vector<std::vector<BenchCell>> cells; // [program][competitor]

  const BenchCell& cell(std::size_t program, std::size_t competitor) const {
    return cells[program][competitor];
  }
  // Whether a program printed a wrong answer or failed.
  bool failed() const;
};

// In seconds; of cells that are measured.
double median_time(const BenchResults& results, const BenchCell& cell);
// The median of the first iterations. Precondition: it has processes.
double first_time(const BenchResults& results, const BenchCell& cell);
std::uint64_t most_memory(const BenchCell& cell);
// The quartiles of its times are more than a tenth of the median apart.
bool is_noisy(const BenchResults& results, const BenchCell& cell);

// The ratio to the base; nothing where one of both was not measured.
std::optional<double> ratio(const BenchResults& results, std::size_t program,
                            std::size_t competitor);

struct GeometricMean {
  double ratio = 1;
  std::size_t programs = 0; // those with a ratio
};
GeometricMean mean_ratio(const BenchResults& results, std::size_t competitor);

// Tables of times, ratios and memory; then what was omitted or failed.
std::string bench_table(const BenchResults& results);
nlohmann::ordered_json bench_json(const BenchResults& results);
// An SVG: bars of ratios, a group for each program.
std::string bench_plot(const BenchResults& results);

} // namespace sourir
