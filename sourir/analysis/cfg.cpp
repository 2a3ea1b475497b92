#include "sourir/analysis/cfg.h"

#include "sourir/syntax/successors.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sourir {

LabelTable::LabelTable(std::span<const LabelPosition> listed)
    : slots_(std::bit_ceil(2 * listed.size() + 1)), mask_(slots_.size() - 1) {
  for (const auto& [label, position] : listed) {
    std::size_t slot = label.id & mask_;
    while (slots_[slot].label != kFree && slots_[slot].label != label.id) slot = (slot + 1) & mask_;
    if (slots_[slot].label == kFree) slots_[slot] = {label.id, position};
  }
}

// The edges and labels of a version, from one traversal, since statements are large.
struct Cfg::Outline {
  struct Jump { // an instruction without the next position as its successor
    Position at;
    std::array<Label, 2> to;
    std::uint32_t ways; // number of labels in `to`
  };
  std::vector<LabelPosition> labels;
  std::vector<Jump> jumps; // in order
  Position size;

  explicit Outline(const Version& version) : size(static_cast<Position>(version.body.size())) {
    // The entry of a continuation is a label, too.
    if (version.cont) labels.push_back({version.cont->entry, 0});
    for (Position at = 0; at < size; ++at) {
      const Stmt& stmt = version.body[at];
      for (const Label label : stmt.leading.labels) labels.push_back({label, at});
      add_jump(at, successors(stmt.instr));
    }
    for (const Label label : version.end.labels) labels.push_back({label, size});
  }

private:
  void add_jump(Position at, const Successors& next) {
    if (next.next) return;
    Jump jump{at, {}, 0};
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) jump.to[jump.ways++] = *label;
    jumps.push_back(jump);
  }
};

Cfg::Cfg(const Version& version, std::span<const Label> targeted)
    : Cfg(Outline(version), targeted) {}

Cfg::Cfg(const Outline& outline, std::span<const Label> targeted) : labels_(outline.labels) {
  add_blocks(outline, targeted);
  add_edges(outline);
  number();
  add_predecessors();
}

void Cfg::add_blocks(const Outline& outline, std::span<const Label> targeted) {
  const Position size = outline.size;
  std::vector<std::uint8_t> starts(size + 1);
  starts[0] = starts[size] = 1;
  for (const Outline::Jump& jump : outline.jumps) {
    for (std::uint32_t k = 0; k < jump.ways; ++k) starts[labels_.at(jump.to[k])] = 1;
    starts[jump.at + 1] = 1;
  }
  for (const Label label : targeted) starts[labels_.at(label)] = 1;
  block_of_.resize(size + 1);
  blocks_.reserve(static_cast<std::size_t>(std::count(starts.begin(), starts.end(), 1)));
  for (Position at = 0; at <= size; ++at) {
    if (starts[at] != 0) {
      if (!blocks_.empty()) blocks_.back().end = at;
      blocks_.push_back({at, at});
    }
    block_of_[at] = BlockId{static_cast<std::uint32_t>(blocks_.size() - 1)};
  }
  const auto add_root = [&](Position at) {
    const BlockId root = block_of_[at];
    if (!std::exchange(blocks_[root.id].root, true)) roots_.push_back(root);
  };
  add_root(0);
  for (const Label label : targeted) add_root(labels_.at(label));
}

void Cfg::add_edges(const Outline& outline) {
  auto jump = outline.jumps.begin();
  for (Block& block : blocks_) {
    if (block.begin == block.end) continue;
    if (jump == outline.jumps.end() || jump->at + 1 != block.end) {
      block.successors.push_back(block_of_[block.end]);
      continue;
    }
    for (std::uint32_t k = 0; k < jump->ways; ++k)
      block.successors.push_back(block_of_[labels_.at(jump->to[k])]);
    ++jump;
  }
}

void Cfg::number() {
  struct Visit {
    BlockId block;
    std::size_t next;
  };
  std::vector<std::uint8_t> seen(blocks_.size());
  std::vector<Visit> path;
  order_.reserve(blocks_.size());
  const auto enter = [&](BlockId b) {
    if (!std::exchange(seen[b.id], true)) path.push_back({b, 0});
  };
  for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
    enter(*root);
    while (!path.empty()) {
      Visit& top = path.back();
      const auto& successors = blocks_[top.block.id].successors;
      if (top.next < successors.size()) {
        // The last successor first: the reversed order has the arms of a branch in order.
        enter(successors[successors.size() - ++top.next]);
      } else {
        order_.push_back(top.block);
        path.pop_back();
      }
    }
  }
  std::reverse(order_.begin(), order_.end());
  order_number_.assign(blocks_.size(), kNowhere);
  for (std::uint32_t n = 0; n < order_.size(); ++n) order_number_[order_[n].id] = n;
}

void Cfg::add_predecessors() {
  std::vector<std::uint32_t> begin(blocks_.size() + 1);
  for (const BlockId b : order_)
    for (const BlockId to : blocks_[b.id].successors) ++begin[to.id + 1];
  for (std::size_t b = 0; b < blocks_.size(); ++b) begin[b + 1] += begin[b];
  predecessors_.resize(begin.back());
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    blocks_[b].predecessors = std::span(predecessors_).subspan(begin[b], begin[b + 1] - begin[b]);
  for (const BlockId b : order_)
    for (const BlockId to : blocks_[b.id].successors) predecessors_[begin[to.id]++] = b;
}

} // namespace sourir
