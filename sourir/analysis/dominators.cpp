#include "sourir/analysis/dominators.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sourir {
namespace {

using Node = std::uint32_t;   // as in the graph
using Number = std::uint32_t; // of a reached node, in preorder of a depth-first search
constexpr std::uint32_t kNone = kNoDominator;

// Neighbours of all nodes, in one list.
class Neighbours {
public:
  // By sources if `forward`, otherwise by targets.
  Neighbours(const std::vector<GraphEdge>& edges, std::size_t nodes, bool forward)
      : begins_(nodes + 1), list_(edges.size()) {
    for (const auto& [from, to] : edges) ++begins_[(forward ? from : to) + 1];
    for (std::size_t n = 0; n < nodes; ++n) begins_[n + 1] += begins_[n];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (const auto& [from, to] : edges) list_[next[forward ? from : to]++] = forward ? to : from;
  }
  std::span<const Node> of(Node n) const {
    return std::span(list_).subspan(begins_[n], begins_[n + 1] - begins_[n]);
  }

private:
  std::vector<std::uint32_t> begins_;
  std::vector<Node> list_;
};

class Search {
public:
  Search(const std::vector<GraphEdge>& edges, std::size_t nodes, Node entry)
      : predecessors_(edges, nodes, false), number_(nodes, kNone) {
    walk(Neighbours(edges, nodes, true), entry);
    const std::size_t reached = node_.size();
    ancestor_.assign(reached, kNone);
    for (Number n = 0; n < reached; ++n) semi_.push_back(n);
    best_ = semi_;
    dominator_.assign(reached, 0);
  }

  std::vector<std::uint32_t> run() {
    const auto reached = static_cast<Number>(node_.size());
    // For each number the linked list of the nodes whose semidominator it is.
    std::vector<Number> first(reached, kNone), next(reached, kNone);
    for (Number w = reached; w-- > 1;) {
      for (const Node p : predecessors_.of(node_[w]))
        if (number_[p] != kNone) semi_[w] = std::min(semi_[w], semi_[least(number_[p])]);
      next[w] = std::exchange(first[semi_[w]], w);
      const Number parent = ancestor_[w] = parent_[w];
      for (Number v = std::exchange(first[parent], kNone); v != kNone; v = next[v]) {
        const Number u = least(v);
        dominator_[v] = semi_[u] < semi_[v] ? u : parent;
      }
    }
    std::vector<std::uint32_t> result(number_.size(), kNoDominator);
    for (Number w = 1; w < reached; ++w) {
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
      result[node_[w]] = node_[dominator_[w]];
    }
    return result;
  }

private:
  void walk(const Neighbours& successors, Node entry) {
    struct Visit {
      Number number;
      std::uint32_t next;
    };
    std::vector<Visit> path;
    const auto enter = [&](Node n, Number parent) {
      if (number_[n] != kNone) return;
      number_[n] = static_cast<Number>(node_.size());
      path.push_back({number_[n], 0});
      node_.push_back(n);
      parent_.push_back(parent);
    };
    enter(entry, kNone);
    while (!path.empty()) {
      Visit& top = path.back();
      const auto to = successors.of(node_[top.number]);
      if (top.next < to.size())
        enter(to[top.next++], top.number);
      else
        path.pop_back();
    }
  }

  // Lengauer and Tarjan's EVAL: of v and its linked ancestors, without the topmost, the one with
  // the least semidominator.
  Number least(Number v) {
    if (ancestor_[v] == kNone) return v;
    above_.clear();
    for (Number x = v; ancestor_[ancestor_[x]] != kNone; x = ancestor_[x]) above_.push_back(x);
    for (; !above_.empty(); above_.pop_back()) {
      const Number x = above_.back(), up = ancestor_[x];
      if (semi_[best_[up]] < semi_[best_[x]]) best_[x] = best_[up];
      ancestor_[x] = ancestor_[up];
    }
    return best_[v];
  }

  Neighbours predecessors_;
  std::vector<Number> number_; // by node
  std::vector<Node> node_;     // by number, like the following
  std::vector<Number> parent_, ancestor_, semi_, best_, dominator_;
  std::vector<Number> above_;
};

} // namespace

std::vector<std::uint32_t> immediate_dominators(const std::vector<GraphEdge>& edges,
                                                std::size_t nodes, std::uint32_t entry) {
  return Search(edges, nodes, entry).run();
}

struct Dominators::Edges {
  std::vector<GraphEdge> list; // the virtual node has the number `blocks`
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
  // The first child and the next sibling of each node, in order.
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
