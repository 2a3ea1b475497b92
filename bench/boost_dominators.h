// Immediate dominators by Boost.Graph, for tests and measurements of sourir's.
#pragma once

#include "sourir/analysis/dominators.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dominator_tree.hpp>

#include <vector>

namespace sourir::bench {

using BoostGraph = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property,
                                                      boost::no_property, boost::no_property,
                                                      std::uint32_t, std::uint32_t>;

} // namespace sourir::bench

namespace boost {

// The algorithm asks for it, and these graphs lack it (Boost 1.74).
inline std::uint32_t degree(std::uint32_t node, const sourir::bench::BoostGraph& graph) {
  return out_degree(node, graph) + in_degree(node, graph);
}

} // namespace boost

namespace sourir::bench {

// As immediate_dominators, but only for edges between nodes that the entry leads to: Boost follows
// others, too. Recurses on the depth of the graph.
inline std::vector<std::uint32_t> boost_dominators(const std::vector<GraphEdge>& edges,
                                                   std::size_t nodes, std::uint32_t entry) {
  std::vector<std::uint32_t> up(nodes, kNoDominator);
  const BoostGraph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                         static_cast<std::uint32_t>(nodes));
  boost::lengauer_tarjan_dominator_tree(
      graph, entry,
      boost::make_iterator_property_map(up.begin(), boost::get(boost::vertex_index, graph)));
  return up;
}

} // namespace sourir::bench
