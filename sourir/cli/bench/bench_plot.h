// Benchmark results as a picture: bars of ratios, a group for each program.
#pragma once

#include "sourir/cli/bench/bench_results.h"

namespace sourir {

std::string bench_plot(const BenchResults& results); // SVG

} // namespace sourir
