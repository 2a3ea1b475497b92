#include "sourir/analysis/dominating_exits.h"

#include "sourir/syntax/exits.h"

#include <algorithm>

namespace sourir {

DominatingExits::DominatingExits(VersionAnalyses& facts)
    : cfg_(facts.cfg()), definitions_(facts), number_(facts.version().body.size(), kNone),
      above_(cfg_.blocks().size()), last_(above_.size()) {
  const Dominators& dominators = facts.dominators();
  for (const BlockId b : dominators.preorder()) {
    const auto up = dominators.immediate(b);
    add_block(facts.version(), b, up ? last_[up->id] : std::nullopt);
  }
}

void DominatingExits::add_block(const Version& version, BlockId b,
                                std::optional<std::size_t> nearest) {
  above_[b.id] = nearest;
  Definitions::State state = definitions_.at_begin(b);
  for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
    if (exit_of(version.body[at].instr) != nullptr) {
      number_[at] = exits_.size();
      exits_.push_back({at, state, nearest, exits_.size(), 0});
      if (nearest) link(exits_.back(), *nearest);
      nearest = number_[at];
    }
    definitions_.transfer(state, at);
  }
  last_[b.id] = nearest;
}

// Jumps of doubling lengths, so that a search takes a logarithm of the chain.
void DominatingExits::link(Exit& exit, std::size_t up) const {
  const Exit& one = exits_[up];
  const Exit& two = exits_[one.jump];
  exit.depth = one.depth + 1;
  exit.jump = one.depth - two.depth == two.depth - exits_[two.jump].depth ? two.jump : up;
}

// What reads the same at one exit reads the same at all between, so a search may jump.
std::size_t DominatingExits::farthest(std::size_t exit, const Expr& e) const {
  const Definitions::State& state = exits_[exit].state;
  const auto same = [&](std::size_t other) {
    return reads_the_same(e, exits_[other].state, state);
  };
  while (exits_[exit].up) {
    const std::size_t jump = exits_[exit].jump;
    if (same(jump))
      exit = jump;
    else if (same(*exits_[exit].up))
      exit = *exits_[exit].up;
    else
      break;
  }
  return exit;
}

} // namespace sourir
