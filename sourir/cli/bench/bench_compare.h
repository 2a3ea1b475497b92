// `sourir bench --compare`: results of the benchmark beside earlier ones, row by row: ratios of
// medians with bootstrap intervals (bench_statistics.h), and what was different when they were
// measured. Units: seconds. Errors: of the files, as Result. Threads: any.
#pragma once

#include "sourir/cli/bench/bench_statistics.h"
#include "sourir/syntax/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// The answer of `sourir bench --json` (docs/schemas/bench.schema.json), as far as it is compared.
struct MeasuredBench {
  struct Row {
    std::string program, competitor, outcome;
    std::uint64_t n = 0; // the size of the program
    Timings wall, cpu;   // those that count
  };

  std::string name;                                                     // of the file
  std::string size;                                                     // tiny, small or full
  std::vector<std::pair<std::string, nlohmann::ordered_json>> settings; // and machine, and build
  std::vector<Row> rows;
};

// The error says what is wrong, and where.
Result<MeasuredBench> read_bench(std::string_view text, const std::string& name);

struct ComparedRow {
  enum class State : std::uint8_t { Compared, OnlyOld, OnlyNew, NotMeasured };

  std::string program, competitor;
  State state = State::Compared;
  std::string why; // NotMeasured
  // Compared.
  double old = 0, now = 0;               // medians
  double ratio = 1;                      // now / old
  std::optional<RatioInterval> interval; // empty: too few times
  BenchVerdict verdict = BenchVerdict::TooFew;
};

// Of the ratios of one competitor.
struct ComparedMean {
  std::string competitor;
  std::size_t programs = 0;
  double ratio = 1;
  std::optional<RatioInterval> interval; // empty: one of the programs has none
  BenchVerdict verdict = BenchVerdict::TooFew;
};

struct BenchComparison {
  std::string old, now;              // the names of the files; `now` empty: just measured
  bool by_cpu = false;               // processor time is compared, not wall time
  std::vector<std::string> warnings; // what was different
  std::vector<ComparedRow> rows;
  std::vector<ComparedMean> means;
};

BenchComparison compare_bench(const MeasuredBench& old, const MeasuredBench& now, bool by_cpu);

// The rows and means whose whole interval is above 1 + percent / 100, as "PROGRAM COMPETITOR".
std::vector<std::string> slower_by(const BenchComparison& comparison, std::uint64_t percent);

// A table, then what is missing and what was different.
std::string comparison_text(const BenchComparison& comparison);
nlohmann::ordered_json comparison_json(const BenchComparison& comparison);

// "faster", "fewer than 3 times"
std::string verdict_text(BenchVerdict verdict);
// "0.950 to 1.010"; "-" where there is none
std::string interval_text(const std::optional<RatioInterval>& interval);
// The members `ratio`, `interval` and `verdict` of JSON.
void put_ratio(nlohmann::ordered_json& json, double ratio,
               const std::optional<RatioInterval>& interval, BenchVerdict verdict);

} // namespace sourir
