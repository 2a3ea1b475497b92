// Dominators and post-dominators of a version's graph (Lengauer and Tarjan). A virtual node
// precedes all roots, or follows all ends, so that there may be several.
#pragma once

#include "sourir/analysis/cfg.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sourir {

using GraphEdge = std::pair<std::uint32_t, std::uint32_t>; // nodes are 0, 1, ...

constexpr std::uint32_t kNoDominator = ~std::uint32_t{0};

// The immediate dominator of each node; kNoDominator: the entry, and nodes that it does not reach.
// Lengauer and Tarjan's algorithm with path compression: O(edges * log nodes), without recursion.
std::vector<std::uint32_t> immediate_dominators(const std::vector<GraphEdge>& edges,
                                                std::size_t nodes, std::uint32_t entry);

class Dominators {
public:
  static Dominators of(const Cfg& cfg);
  // `a` post-dominates `b`: every path from b to an end of the version goes through a. Blocks from
  // which no end is reached (endless loops) are not in the tree.
  static Dominators post(const Cfg& cfg);

  // Whether the block is in the tree: reached from a root, or for post-dominators: a reachable
  // block that reaches an end.
  bool reached(BlockId b) const { return nodes_[b.id].reached; }
  // The parent in the tree. Empty for blocks that are not in it, and those that only the virtual
  // node dominates.
  std::optional<BlockId> immediate(BlockId b) const;
  // Reflexive. False if one of them is not in the tree.
  bool dominates(BlockId a, BlockId b) const {
    return reached(a) && reached(b) && nodes_[a.id].first <= nodes_[b.id].first &&
           nodes_[b.id].first < nodes_[a.id].last;
  }
  // The blocks of the tree, each before those that it dominates.
  const std::vector<BlockId>& preorder() const { return preorder_; }
  // The blocks that `b` dominates are those from place(b) to before place_after(b) in preorder().
  std::uint32_t place(BlockId b) const { return nodes_[b.id].first; }
  std::uint32_t place_after(BlockId b) const { return nodes_[b.id].last; }

private:
  struct Node {
    std::uint32_t up = 0; // the number of blocks: the virtual node
    std::uint32_t first = 0, last = 0;
    bool reached = false;
  };
  struct Edges;
  explicit Dominators(const Edges& edges);
  void number();

  std::vector<Node> nodes_; // by block, then the virtual node
  std::vector<BlockId> preorder_;
};

} // namespace sourir
