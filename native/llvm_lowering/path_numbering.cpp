#include "native/llvm_lowering/path_numbering.h"

#include <algorithm>
#include <utility>

namespace sourir::native {

PathNumbering::PathNumbering(std::uint32_t nodes, std::vector<FlowEdge> edges,
                             std::uint64_t most_prefixes)
    : edges_(std::move(edges)), out_(nodes), in_(nodes), from_(nodes), added_(edges_.size()),
      starts_(nodes) {
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    out_[edges_[e].from].push_back(e);
    in_[edges_[e].to].push_back(e);
  }
  cut_back_edges();
  sort_nodes();
  cut_at_merges(most_prefixes);
  number();
}

// Depth-first, without recursion: an edge to a node that is still being visited leads back.
void PathNumbering::cut_back_edges() {
  enum : std::uint8_t { New, Open, Done };
  std::vector<std::uint8_t> state(out_.size(), New);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}}; // node, its next edge
  state[0] = Open;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == out_[node].size()) {
      state[node] = Done;
      stack.pop_back();
      continue;
    }
    FlowEdge& edge = edges_[out_[node][next++]];
    if (state[edge.to] == Open) edge.cut = true;
    if (state[edge.to] != New) continue;
    state[edge.to] = Open;
    stack.emplace_back(edge.to, 0);
  }
}

// By the edges that are not cut: a node after all its predecessors.
void PathNumbering::sort_nodes() {
  std::vector<std::uint32_t> missing(out_.size());
  for (const FlowEdge& e : edges_) missing[e.to] += e.cut ? 0 : 1;
  for (std::uint32_t n = 0; n < out_.size(); ++n)
    if (missing[n] == 0) order_.push_back(n);
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (const std::uint32_t e : out_[order_[i]])
      if (!edges_[e].cut && --missing[edges_[e].to] == 0) order_.push_back(edges_[e].to);
}

void PathNumbering::cut_at_merges(std::uint64_t most_prefixes) {
  std::vector<std::uint64_t> reaching(out_.size()); // paths from their starts to the node
  for (const std::uint32_t n : order_) {
    std::uint64_t prefixes = 0;
    bool starts = n == 0;
    for (const std::uint32_t e : in_[n]) {
      starts = starts || edges_[e].cut;
      if (!edges_[e].cut) prefixes += reaching[edges_[e].from];
    }
    prefixes += starts ? 1 : 0;
    if (in_[n].size() > 1 && prefixes > most_prefixes) {
      for (const std::uint32_t e : in_[n]) edges_[e].cut = true;
      prefixes = 1;
    }
    reaching[n] = prefixes;
  }
}

std::uint64_t PathNumbering::paths_by(std::uint32_t edge) const {
  return edges_[edge].cut ? 1 : from_[edges_[edge].to];
}

void PathNumbering::number() {
  for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
    std::uint64_t before = 0; // the paths by the edges before
    for (const std::uint32_t e : out_[*n]) {
      added_[e] = before;
      before += paths_by(e);
    }
    from_[*n] = std::max<std::uint64_t>(before, 1);
  }
  for (const std::uint32_t n : order_) {
    const bool starts =
        n == 0 || std::ranges::any_of(in_[n], [&](std::uint32_t e) { return edges_[e].cut; });
    if (!starts) continue;
    starts_[n] = paths_;
    start_nodes_.push_back(n);
    paths_ += from_[n];
  }
}

std::vector<PathNumbering::Step> PathNumbering::path(std::uint64_t number) const {
  const auto after = std::ranges::upper_bound(start_nodes_, number, {},
                                              [&](std::uint32_t n) { return starts_[n]; });
  std::vector<Step> steps{{*std::prev(after), kNoEdge}};
  number -= starts_[steps.back().node];
  while (true) {
    Step& last = steps.back();
    for (const std::uint32_t e : out_[last.node])
      if (added_[e] <= number) last.edge = e;
    if (last.edge == kNoEdge) return steps;
    number -= added_[last.edge];
    if (edges_[last.edge].cut) return steps;
    steps.push_back({edges_[last.edge].to, kNoEdge});
  }
}

} // namespace sourir::native
