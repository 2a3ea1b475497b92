#include "sourir/analysis/dominators.h"

#include "sourir/analysis/large_stack.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include <utility>

namespace sourir {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

// Boost's search for the best ancestor recurses; a frame of it takes some tens of bytes (several
// hundred under sanitizers).
constexpr std::size_t kBlocksOnOwnStack = 50'000, kStackPerBlock = 1024;

std::vector<std::size_t> immediate_dominators(const std::vector<Edge>& edges, std::size_t nodes,
                                              std::size_t entry) {
  const Graph graph(edges.begin(), edges.end(), nodes);
  std::vector<std::size_t> up(nodes, boost::graph_traits<Graph>::null_vertex());
  const auto compute = [&] {
    boost::lengauer_tarjan_dominator_tree(
        graph, entry,
        boost::make_iterator_property_map(up.begin(), boost::get(boost::vertex_index, graph)));
  };
  if (nodes > kBlocksOnOwnStack)
    run_on_large_stack(nodes * kStackPerBlock, compute);
  else
    compute();
  return up;
}

} // namespace

struct Dominators::Edges {
  std::vector<Edge> list; // the number of blocks: the virtual node, where they start
  std::size_t blocks = 0;
};

Dominators Dominators::of(const Cfg& cfg) {
  Edges edges{{}, cfg.blocks().size()};
  const auto start = static_cast<std::uint32_t>(edges.blocks);
  for (const BlockId root : cfg.roots()) edges.list.emplace_back(start, root.id);
  for (const BlockId b : cfg.reverse_postorder())
    for (const BlockId to : cfg[b].successors) edges.list.emplace_back(b.id, to.id);
  return Dominators(edges);
}

Dominators Dominators::post(const Cfg& cfg) {
  Edges edges{{}, cfg.blocks().size()};
  const auto end = static_cast<std::uint32_t>(edges.blocks);
  // Boost looks at edges from nodes that it has not reached, too: there must be none.
  std::vector<std::uint8_t> seen(cfg.blocks().size());
  std::vector<BlockId> work;
  const auto enter = [&](std::uint32_t from, BlockId b) {
    edges.list.emplace_back(from, b.id);
    if (!std::exchange(seen[b.id], true)) work.push_back(b);
  };
  for (const BlockId b : cfg.reverse_postorder())
    if (cfg[b].successors.empty()) enter(end, b);
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId p : cfg[b].predecessors) enter(b.id, p);
  }
  return Dominators(edges);
}

Dominators::Dominators(const Edges& edges) : nodes_(edges.blocks + 1) {
  const auto up = immediate_dominators(edges.list, edges.blocks + 1, edges.blocks);
  for (std::size_t n = 0; n < edges.blocks; ++n) {
    nodes_[n].reached = up[n] != boost::graph_traits<Graph>::null_vertex();
    if (nodes_[n].reached) nodes_[n].up = static_cast<std::uint32_t>(up[n]);
  }
  number();
}

std::optional<BlockId> Dominators::immediate(BlockId b) const {
  if (!reached(b) || nodes_[b.id].up == nodes_.size() - 1) return std::nullopt;
  return BlockId{nodes_[b.id].up};
}

void Dominators::number() {
  const auto blocks = static_cast<std::uint32_t>(nodes_.size() - 1);
  std::vector<std::vector<std::uint32_t>> below(nodes_.size());
  for (std::uint32_t n = blocks; n-- > 0;)
    if (nodes_[n].reached) below[nodes_[n].up].push_back(n);
  std::vector<std::uint32_t> path = {blocks};
  while (!path.empty()) { // the children of each stand in reverse: the first is taken last
    const std::uint32_t at = path.back();
    if (!below[at].empty()) {
      const std::uint32_t child = below[at].back();
      below[at].pop_back();
      nodes_[child].first = static_cast<std::uint32_t>(preorder_.size());
      preorder_.push_back(BlockId{child});
      path.push_back(child);
    } else {
      nodes_[at].last = static_cast<std::uint32_t>(preorder_.size());
      path.pop_back();
    }
  }
}

} // namespace sourir
