#include "sourir/analysis/dominators.h"

#include "sourir/analysis/lengauer_tarjan.h"

#include <utility>

namespace sourir {

struct Dominators::Edges {
  std::vector<GraphEdge> list; // the number of blocks: the virtual node, where they start
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
  const auto up =
      immediate_dominators(edges.list, edges.blocks + 1, static_cast<std::uint32_t>(edges.blocks));
  for (std::size_t n = 0; n < edges.blocks; ++n) {
    nodes_[n].reached = up[n] != kNoDominator;
    if (nodes_[n].reached) nodes_[n].up = up[n];
  }
  number();
}

std::optional<BlockId> Dominators::immediate(BlockId b) const {
  if (!reached(b) || nodes_[b.id].up == nodes_.size() - 1) return std::nullopt;
  return BlockId{nodes_[b.id].up};
}

void Dominators::number() {
  const auto blocks = static_cast<std::uint32_t>(nodes_.size() - 1);
  // Of each node the first below it, and the next one beside it, in order.
  std::vector<std::uint32_t> below(nodes_.size(), kNoDominator), beside = below;
  for (std::uint32_t n = blocks; n-- > 0;)
    if (nodes_[n].reached) beside[n] = std::exchange(below[nodes_[n].up], n);
  std::vector<std::uint32_t> path = {blocks};
  while (!path.empty()) {
    const std::uint32_t at = path.back();
    if (const std::uint32_t child = below[at]; child != kNoDominator) {
      below[at] = beside[child];
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
