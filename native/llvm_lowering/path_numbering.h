// Numbers of the acyclic paths of a control-flow graph (Ball and Larus, "Efficient path profiling",
// MICRO 1996), with path cutting at merges (Basso and others, TOPLAS 2023, 4.3). A path register is
// set where a path starts, edges add to it, and at the end of the path its value, with what the end
// adds, is the number of the path: unique in the function, dense from 0 on.
//
// A path starts at the entry and after each cut edge; it ends at cut edges and at nodes without
// successors. Edges back to a node of the same path are cut; so are those into a merge that more
// than `most_prefixes` different paths reach.
#pragma once

#include <cstdint>
#include <vector>

namespace sourir::native {

struct FlowEdge {
  std::uint32_t from = 0, to = 0;
  bool cut = false;
};

class PathNumbering {
public:
  // Nodes are 0 to nodes - 1; the entry is 0. All are reachable from it. An edge is known by its
  // index.
  PathNumbering(std::uint32_t nodes, std::vector<FlowEdge> edges, std::uint64_t most_prefixes);

  std::uint64_t paths() const { return paths_; }
  bool is_cut(std::uint32_t edge) const { return edges_[edge].cut; }
  // The path register after the edge, of a cut one; at the entry.
  std::uint64_t start_after(std::uint32_t edge) const { return starts_[edges_[edge].to]; }
  std::uint64_t start_at_entry() const { return starts_[0]; }
  // What an edge adds: to the register, or, a cut one, to the number of the path that ends there.
  std::uint64_t added_by(std::uint32_t edge) const { return added_[edge]; }

  // The nodes of a path in order, with the edge by which it leaves each: kNoEdge for the last node
  // of a path that ends at a node without successors; the last edge is a cut one otherwise.
  struct Step {
    std::uint32_t node = 0, edge = 0;
  };
  static constexpr std::uint32_t kNoEdge = ~std::uint32_t{0};
  std::vector<Step> path(std::uint64_t number) const;

private:
  void cut_back_edges();
  void sort_nodes();
  void cut_at_merges(std::uint64_t most_prefixes);
  void number();
  std::uint64_t paths_by(std::uint32_t edge) const;

  std::vector<FlowEdge> edges_;
  std::vector<std::vector<std::uint32_t>> out_, in_; // edges by node
  std::vector<std::uint32_t> order_;                 // nodes: edges that are not cut lead onwards
  std::vector<std::uint64_t> from_;                  // by node: the paths from it to an end
  std::vector<std::uint64_t> added_, starts_;        // by edge; by node, of those after cut edges
  std::vector<std::uint32_t> start_nodes_;           // in the order of their numbers
  std::uint64_t paths_ = 0;
};

} // namespace sourir::native
