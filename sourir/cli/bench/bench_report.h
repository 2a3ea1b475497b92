// Benchmark results for people and for programs.
#pragma once

#include "sourir/cli/bench/bench_results.h"

namespace sourir {

// A table of times, one of ratios, what was left out or went wrong.
std::string bench_table(const BenchResults& results);
std::string bench_json(const BenchResults& results); // docs/schemas/bench.schema.json

} // namespace sourir
