// Which edges of a loop are counted so that the numbers of executions of all its blocks follow: a
// spanning tree of its graph, closed by a node for all that is outside, leaves the others. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sourir::native {

// Blocks of the loop are 0 to n - 1, the header is 0.
struct LoopEdge {
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  std::uint32_t from = 0, to = 0; // to: may be kOutside
  // Edges of less weight are rather counted.
  std::uint32_t weight = 0;
};

// By block: how often it is executed for one traversal of an edge that is counted, or that leaves
// the loop, the uncounted edges adjusted.
struct EdgeWorth {
  std::uint32_t edge = 0; // index of LoopEdge
  std::vector<std::int32_t> executions;
};

// Edges that leave the loop are always among them.
std::vector<EdgeWorth> counted_edges(std::uint32_t blocks, std::span<const LoopEdge> edges);

} // namespace sourir::native
