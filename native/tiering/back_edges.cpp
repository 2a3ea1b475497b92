#include "native/tiering/back_edges.h"

#include "native/tiering/successors.h"
#include "sourir/semantics/resolved_loops.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sourir::native {

namespace {

constexpr double kLeastShare = 1.0 / 8; // of the iterations
constexpr double kCall = 32;            // instructions that a call counts for

// The iterations that a back edge ends: how many, in proportion, and their instructions in all.
struct Iterations {
  double share = 0, instructions = 0;
  double length() const { return instructions / share; }
};

// The back edges of one loop with the iterations that they end.
class IterationEnds {
public:
  IterationEnds(const ResolvedVersion& code, const ResolvedLoops& loops, Pc head,
                std::span<const SiteFeedback> sites)
      : code_(code), loops_(loops), head_(head), sites_(sites) {
    order();
    ways_[head].share = 1;
    for (const Pc pc : order_) {
      Iterations here = ways_[pc];
      const bool calls = std::holds_alternative<resolved::Call>(code.instrs[pc]);
      here.instructions += here.share * (calls ? kCall : 1);
      for (const auto& [to, share] : shares(pc)) {
        Iterations& next = to == head ? ends_[pc] : ways_[to];
        next.share += share * here.share;
        next.instructions += share * here.instructions;
      }
    }
  }

  bool counted() const { return counted_; }
  const std::map<Pc, Iterations>& by_back_edge() const { return ends_; }

private:
  bool inside(Pc pc) const {
    return pc < code_.instrs.size() && loops_.lies_in(loops_.at(pc), head_);
  }

  // Reverse postorder: each position after those before it, but for edges back.
  void order() {
    std::vector<bool> seen(code_.instrs.size());
    std::vector<std::pair<Pc, bool>> work{{head_, false}};
    while (!work.empty()) {
      const auto [pc, done] = work.back();
      work.pop_back();
      if (done) {
        order_.push_back(pc);
        continue;
      }
      if (seen[pc]) continue;
      seen[pc] = true;
      work.emplace_back(pc, true);
      for_each_successor(code_.instrs[pc], pc, [&](Pc to) {
        if (inside(to) && !seen[to]) work.emplace_back(to, false);
      });
    }
    std::ranges::reverse(order_);
    place_.assign(code_.instrs.size(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  // The successors in the loop with the shares of the ways that go there. Ways out of the loop, and
  // further iterations of inner loops, do not count: each way that enters an inner loop leaves it.
  std::vector<std::pair<Pc, double>> shares(Pc pc) {
    std::vector<std::pair<Pc, double>> found;
    const auto add = [&](Pc to, double share) {
      if (inside(to) && (to == head_ || place_[to] > place_[pc])) found.emplace_back(to, share);
    };
    const auto* const branch = std::get_if<resolved::Branch>(&code_.instrs[pc]);
    if (branch == nullptr) {
      for_each_successor(code_.instrs[pc], pc, [&](Pc to) { add(to, 1); });
      return found;
    }
    const bool leaves = leaves_loop(pc, branch->if_true) || leaves_loop(pc, branch->if_false);
    const auto [taken, not_taken] = counts(pc);
    const double all = taken + not_taken;
    if (!leaves && all > 0) counted_ = true;
    add(branch->if_true, leaves ? 1 : all > 0 ? taken / all : 0.5);
    add(branch->if_false, leaves ? 1 : all > 0 ? not_taken / all : 0.5);
    return found;
  }

  bool leaves_loop(Pc from, Pc to) const {
    return to >= code_.instrs.size() || !loops_.lies_in(loops_.at(to), loops_.at(from));
  }

  std::pair<double, double> counts(Pc pc) const {
    if (pc >= sites_.size()) return {0, 0};
    return {sites_[pc].times_taken(), sites_[pc].times_not_taken()};
  }

  const ResolvedVersion& code_;
  const ResolvedLoops& loops_;
  const Pc head_;
  std::span<const SiteFeedback> sites_;
  std::vector<Pc> order_;
  std::vector<std::size_t> place_; // by position, in order_
  std::map<Pc, Iterations> ways_;  // by position: from the head to it
  std::map<Pc, Iterations> ends_;  // by back edge
  bool counted_ = false;
};

} // namespace

std::vector<Pc> back_edges_without_polls(const ResolvedVersion& code, Pc start,
                                         std::span<const SiteFeedback> sites) {
  const std::vector<bool> reached = reached_from(code, start);
  const ResolvedLoops loops(code, start, reached);
  std::vector<Pc> found;
  for (Pc head = 0; head < reached.size(); ++head) {
    if (!reached[head] || loops.at(head) != head) continue;
    const IterationEnds ends(code, loops, head, sites);
    const auto& by_edge = ends.by_back_edge();
    if (!ends.counted() || by_edge.size() < 2) continue;
    double all = 0;
    for (const auto& [pc, iterations] : by_edge) all += iterations.share;
    const auto length = [&](const auto& edge) {
      return edge.second.share < kLeastShare * all ? 0 : edge.second.length();
    };
    const Pc polls = std::ranges::max_element(by_edge, {}, length)->first;
    for (const auto& [pc, iterations] : by_edge)
      if (pc != polls) found.push_back(pc);
  }
  std::ranges::sort(found);
  return found;
}

} // namespace sourir::native
