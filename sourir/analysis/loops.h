// Natural loops: a header, which dominates the sources of the edges back to it, and all blocks
// that reach one of these without passing the header. Cycles with several entries are no loops.
#pragma once

#include "sourir/analysis/dominators.h"

#include <span>

namespace sourir {

struct Loop {
  BlockId header;
  std::vector<BlockId> latches;      // the sources of the back edges, ascending, each once
  std::optional<std::size_t> parent; // the innermost loop that contains it
  std::uint32_t depth = 1;           // of nesting; 1: outermost
  // The only predecessor of the header outside the loop, if it has no other successor and the
  // header is no root.
  std::optional<BlockId> preheader;
};

class Loops {
public:
  Loops(const Cfg& cfg, const Dominators& dominators);

  // Each before its inner loops.
  const std::vector<Loop>& loops() const { return loops_; }
  // With those of inner loops; the header is the first.
  std::span<const BlockId> blocks(std::size_t loop) const;
  bool contains(std::size_t loop, BlockId b) const {
    return place_[b.id] >= extents_[loop].first && place_[b.id] < extents_[loop].second;
  }
  // The index of the innermost loop that contains the block; empty: none.
  std::optional<std::size_t> innermost(BlockId b) const { return innermost_[b.id]; }
  // Edges from the loop to blocks outside: (source, target).
  std::vector<std::pair<BlockId, BlockId>> exits(const Cfg& cfg, std::size_t loop) const;

private:
  void find(const Cfg& cfg, const Dominators& dominators);
  void order_blocks(const Cfg& cfg);
  void find_preheaders(const Cfg& cfg);

  std::vector<Loop> loops_;
  std::vector<std::optional<std::size_t>> innermost_;
  std::vector<BlockId> ordered_;     // blocks in loops, those of each loop consecutive
  std::vector<std::uint32_t> place_; // by block: its index in ordered_
  std::vector<std::pair<std::uint32_t, std::uint32_t>> extents_; // by loop: its range in ordered_
};

} // namespace sourir
