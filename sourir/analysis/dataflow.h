// The dataflow solver. An analysis is a lattice (the states) and a transfer function; solve() finds
// the least solution over the blocks of a graph, replay() computes the states at the positions of a
// block, which are not kept.
#pragma once

#include "sourir/analysis/cfg.h"

#include <concepts>
#include <optional>
#include <queue>
#include <utility>

namespace sourir {

// join: the left state becomes the least one above both; true if it changed. Ascending chains must
// be finite.
template <class S>
concept JoinSemilattice =
    std::copyable<S> && std::equality_comparable<S> && requires(S s, const S& t) {
      { s.join(t) } -> std::same_as<bool>;
    };

enum class Direction : std::uint8_t { Forward, Backward };

// kDirection; boundary: the state at a root (backward: the least state, at the end of every block);
// transfer: the state after (backward: before) an instruction.
template <class A>
concept Analysis = JoinSemilattice<typename A::State> &&
                   requires(A& a, typename A::State& s, BlockId b, Position at) {
                     { A::kDirection } -> std::convertible_to<Direction>;
                     { a.boundary(b) } -> std::same_as<typename A::State>;
                     a.transfer(s, at);
                   };

// Optional, forward: changes the state after its block for the edge to the k-th successor; false if
// control never takes the edge.
template <class A>
concept EdgeAnalysis = requires(A& a, typename A::State& s, BlockId b, std::size_t k) {
  { a.edge(s, b, k) } -> std::same_as<bool>;
};

// By block: the state at its begin (forward) or end (backward); empty: the block is not reached.
template <class A>
using Solution = std::vector<std::optional<typename A::State>>;

// A block is visited again only when its state has grown, in (reverse) postorder.
template <Analysis A>
Solution<A> solve(const Cfg& cfg, A& analysis) {
  constexpr bool kForward = A::kDirection == Direction::Forward;
  Solution<A> solution(cfg.blocks().size());
  const auto count = static_cast<std::uint32_t>(cfg.reverse_postorder().size());
  const auto rank = [&](BlockId b) {
    return kForward ? cfg.order_number(b) : count - 1 - cfg.order_number(b);
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> work;
  std::vector<std::uint8_t> waiting(cfg.blocks().size());
  const auto arrive = [&](BlockId b, auto&& state) {
    auto& known = solution[b.id];
    const bool grown =
        known ? known->join(state) : (known = std::forward<decltype(state)>(state), true);
    if (grown && !std::exchange(waiting[b.id], true)) work.push(rank(b));
  };
  if constexpr (kForward) {
    for (const BlockId root : cfg.roots()) arrive(root, analysis.boundary(root));
  } else {
    for (const BlockId b : cfg.reverse_postorder()) arrive(b, analysis.boundary(b));
  }
  while (!work.empty()) {
    const std::uint32_t at = work.top();
    work.pop();
    const BlockId b = cfg.reverse_postorder()[kForward ? at : count - 1 - at];
    waiting[b.id] = 0;
    typename A::State state = *solution[b.id];
    replay(cfg, analysis, b, state, [](Position, const typename A::State&) {});
    if constexpr (kForward) {
      for (std::size_t k = 0; k < cfg[b].successors.size(); ++k) {
        const bool last = k + 1 == cfg[b].successors.size();
        typename A::State taken = last ? std::move(state) : state;
        if constexpr (EdgeAnalysis<A>)
          if (!analysis.edge(taken, b, k)) continue;
        arrive(cfg[b].successors[k], std::move(taken));
      }
    } else {
      for (const BlockId p : cfg[b].predecessors) arrive(p, state);
    }
  }
  return solution;
}

// From the state at one end of the block to the other: visit(position, state before (backward:
// after) its instruction) for each position.
template <Analysis A, class Visit>
void replay(const Cfg& cfg, A& analysis, BlockId b, typename A::State& state, Visit&& visit) {
  const Block& block = cfg[b];
  for (Position n = 0; n < block.end - block.begin; ++n) {
    const bool forward = A::kDirection == Direction::Forward;
    const Position at = forward ? block.begin + n : block.end - 1 - n;
    visit(at, std::as_const(state));
    analysis.transfer(state, at);
  }
}

} // namespace sourir
