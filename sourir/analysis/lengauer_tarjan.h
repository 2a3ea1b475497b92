// Lengauer and Tarjan's algorithm for dominators, with path compression: O(edges * log nodes),
// without recursion.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sourir {

using GraphEdge = std::pair<std::uint32_t, std::uint32_t>; // nodes are 0, 1, ...

constexpr std::uint32_t kNoDominator = ~std::uint32_t{0};

// The immediate dominator of each node; kNoDominator: of the entry, and where it does not lead.
std::vector<std::uint32_t> immediate_dominators(const std::vector<GraphEdge>& edges,
                                                std::size_t nodes, std::uint32_t entry);

} // namespace sourir
