// Times of sourir's dominators and Boost's (ARCHITECTURE.md "Decisions").
#include "bench/boost_dominators.h"

#include <benchmark/benchmark.h>

namespace {

using namespace sourir;

// Loops after each other, five blocks each.
std::vector<GraphEdge> loops(std::uint32_t nodes) {
  std::vector<GraphEdge> edges;
  for (std::uint32_t b = 0; b + 5 < nodes; b += 5)
    edges.insert(edges.end(), {{b, b + 1},
                               {b, b + 5},
                               {b + 1, b + 2},
                               {b + 1, b + 3},
                               {b + 2, b + 4},
                               {b + 3, b + 4},
                               {b + 4, b}});
  return edges;
}

void measure(benchmark::State& state, decltype(immediate_dominators)* dominators) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto edges = loops(nodes);
  for (auto _ : state) benchmark::DoNotOptimize(dominators(edges, nodes, 0));
}

void dominators_ours(benchmark::State& state) { measure(state, immediate_dominators); }
void dominators_boost(benchmark::State& state) { measure(state, bench::boost_dominators); }

BENCHMARK(dominators_ours)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(dominators_boost)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Unit(benchmark::kMicrosecond);

} // namespace
