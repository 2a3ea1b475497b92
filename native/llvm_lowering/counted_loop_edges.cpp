#include "native/llvm_lowering/counted_loop_edges.h"

#include <algorithm>
#include <numeric>

namespace sourir::native {

namespace {

// Nodes: the blocks, then the outside. Edges: those given, then the one into the header.
class SpanningTree {
public:
  SpanningTree(std::uint32_t blocks, std::span<const LoopEdge> edges)
      : blocks_(blocks), edges_(edges), group_(blocks + 1), tree_(blocks + 1),
        in_tree_(edges.size()) {
    std::iota(group_.begin(), group_.end(), 0U);
    join(entry());
    std::vector<std::uint32_t> order(edges.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::uint32_t e) { return edges[e].weight; });
    for (const std::uint32_t e : order)
      if (edges[e].to != LoopEdge::kOutside) in_tree_[e] = join(e);
  }

  bool contains(std::uint32_t edge) const { return in_tree_[edge]; }

  // The edge once, and the edges of the tree that lead back from its target to its source.
  std::vector<std::int32_t> executions(std::uint32_t edge) const {
    std::vector<std::int32_t> result(blocks_);
    const auto take = [&](std::uint32_t e, std::int32_t times) {
      if (target(e) < blocks_) result[target(e)] += times;
    };
    take(edge, 1);
    for (const auto& [e, forwards] : way(target(edge), source(edge))) take(e, forwards ? 1 : -1);
    return result;
  }

private:
  struct Step {
    std::uint32_t edge = 0;
    bool forwards = true;
  };

  std::uint32_t entry() const { return static_cast<std::uint32_t>(edges_.size()); }
  std::uint32_t source(std::uint32_t e) const { return e == entry() ? blocks_ : edges_[e].from; }
  std::uint32_t target(std::uint32_t e) const {
    if (e == entry()) return 0;
    return edges_[e].to == LoopEdge::kOutside ? blocks_ : edges_[e].to;
  }

  // Adds the edge to the tree; false: it would close a circle.
  bool join(std::uint32_t e) {
    const std::uint32_t a = group_[source(e)], b = group_[target(e)];
    if (a == b) return false;
    std::ranges::replace(group_, b, a);
    tree_[source(e)].push_back({e, true});
    tree_[target(e)].push_back({e, false});
    return true;
  }

  // The edges of the tree from one node to another.
  std::vector<Step> way(std::uint32_t from, std::uint32_t to) const {
    std::vector<Step> by(blocks_ + 1); // how a node was reached
    std::vector<bool> reached(blocks_ + 1);
    std::vector<std::uint32_t> work{from};
    reached[from] = true;
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      for (const Step& s : tree_[node]) {
        const std::uint32_t other = s.forwards ? target(s.edge) : source(s.edge);
        if (reached[other]) continue;
        reached[other] = true;
        by[other] = s;
        work.push_back(other);
      }
    }
    std::vector<Step> steps;
    for (std::uint32_t node = to; node != from;) {
      steps.push_back(by[node]);
      node = by[node].forwards ? source(by[node].edge) : target(by[node].edge);
    }
    return steps;
  }

  const std::uint32_t blocks_;
  const std::span<const LoopEdge> edges_;
  std::vector<std::uint32_t> group_;    // by node
  std::vector<std::vector<Step>> tree_; // by node: the edges of the tree there
  std::vector<bool> in_tree_;           // by edge
};

} // namespace

std::vector<EdgeWorth> counted_edges(std::uint32_t blocks, std::span<const LoopEdge> edges) {
  const SpanningTree tree(blocks, edges);
  std::vector<EdgeWorth> counted;
  for (std::uint32_t e = 0; e < edges.size(); ++e)
    if (!tree.contains(e)) counted.push_back({e, tree.executions(e)});
  return counted;
}

} // namespace sourir::native
