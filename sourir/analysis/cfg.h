// The control-flow graph of one version: basic blocks over the positions of its body. An assume is
// no edge: it is a use of every variable in its guards and metadata.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/scopes.h"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace sourir {

// The positions of a version's labels: an open-addressing hash table. Labels get their ids in the
// order of the text, so neighbours in the text are neighbours in the table.
struct LabelPosition {
  Label label;
  std::uint32_t position = 0;
};

class LabelTable {
public:
  explicit LabelTable(std::span<const LabelPosition> listed); // the first entry of a label counts

  std::uint32_t at(Label label) const { // precondition: a label of the version
    std::size_t slot = label.id & mask_;
    while (slots_[slot].label != label.id) slot = (slot + 1) & mask_;
    return slots_[slot].position;
  }

private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t label = kFree, position = 0;
  };
  std::vector<Slot> slots_; // a power of two, at least half of them free
  std::size_t mask_ = 0;
};

using Position = std::uint32_t; // index into a version's body; body.size() is the end

// A dense index, valid in the graph of one version.
struct BlockId {
  std::uint32_t id = 0;
  friend auto operator<=>(BlockId, BlockId) = default;
};

// A list of at most two blocks.
class BlockPair {
public:
  void push_back(BlockId b) { blocks_[size_++] = b; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  BlockId operator[](std::size_t k) const { return blocks_[k]; }
  const BlockId* begin() const { return blocks_.data(); }
  const BlockId* end() const { return blocks_.data() + size_; }

private:
  std::array<BlockId, 2> blocks_;
  std::uint32_t size_ = 0;
};

struct Block {
  Position begin = 0,
           end = 0;     // [begin, end); the instruction before `end` determines the successors
  BlockPair successors; // the next block; or for a branch: true, then false
  std::span<const BlockId> predecessors; // reachable blocks, one for each edge
  bool root = false;                     // the start, or a target of exits of other versions
};

class Cfg {
public:
  // `targeted`: labels that exits of other versions target.
  Cfg(const Version& version, std::span<const Label> targeted);
  Cfg(Cfg&&) = default; // a copy's blocks would refer to this one's lists

  // In order of their positions; the last one is the empty block at the end of the version, where
  // main stops; it is unreachable in other functions.
  const std::vector<Block>& blocks() const { return blocks_; }
  const Block& operator[](BlockId b) const { return blocks_[b.id]; }
  BlockId block_of(Position at) const { return block_of_[at]; }
  // The start, then the targeted positions.
  const std::vector<BlockId>& roots() const { return roots_; }
  bool reachable(BlockId b) const { return order_number_[b.id] != kNowhere; }
  bool reachable(Position at) const { return reachable(block_of(at)); }
  // The reachable blocks, each before its successors, except along back edges.
  const std::vector<BlockId>& reverse_postorder() const { return order_; }
  // The index of a reachable block in reverse_postorder().
  std::uint32_t order_number(BlockId b) const { return order_number_[b.id]; }
  Position position_of(Label label) const { return labels_.at(label); }

private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  struct Outline;
  Cfg(const Outline& outline, std::span<const Label> targeted);
  void add_blocks(const Outline& outline, std::span<const Label> targeted);
  void add_edges(const Outline& outline);
  void number();
  void add_predecessors();

  LabelTable labels_;
  std::vector<Block> blocks_;
  std::vector<BlockId> block_of_, roots_, order_, predecessors_;
  std::vector<std::uint32_t> order_number_;
};

} // namespace sourir
