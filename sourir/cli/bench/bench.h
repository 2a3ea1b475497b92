// `sourir bench`: the programs of bench/ on all engines and in other languages, side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sourir {

struct BenchOptions {
  std::string folder;            // empty: where it is found (bench_programs.h)
  std::string size = "full";     // tiny, small or full
  std::string programs, engines; // names between commas; empty: all
  std::vector<std::string> sets; // NAME=ENGINE FLAG...: a variant of an engine
  std::string base = "gcc";      // what ratios are to
  std::string measure = "wall";  // or cpu
  std::uint64_t runs = 5, warmup = 1;
  std::uint64_t seconds = 60; // that a run may take
  std::string plot;           // a file for the picture
  bool json = false;
};

int run_bench(const BenchOptions& options);

} // namespace sourir
