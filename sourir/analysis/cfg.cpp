#include "sourir/analysis/cfg.h"

#include "sourir/syntax/successors.h"

#include <algorithm>
#include <utility>

namespace sourir {

Cfg::Cfg(const Version& version, std::span<const Label> targeted) : labels_(version) {
  add_blocks(version, targeted);
  add_edges(version);
  number();
  add_predecessors();
}

void Cfg::add_blocks(const Version& version, std::span<const Label> targeted) {
  const auto size = static_cast<Position>(version.body.size());
  std::vector<std::uint8_t> starts(size + 1);
  starts[0] = starts[size] = 1;
  for (Position at = 0; at < size; ++at) {
    const Successors next = successors(version.body[at].instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) starts[labels_.at(*label)] = 1;
    if (!next.next) starts[at + 1] = 1;
  }
  for (const Label label : targeted) starts[labels_.at(label)] = 1;
  block_of_.resize(size + 1);
  for (Position at = 0; at <= size; ++at) {
    if (starts[at] != 0) {
      if (!blocks_.empty()) blocks_.back().end = at;
      blocks_.push_back({at, at, {}, {}});
    }
    block_of_[at] = BlockId{static_cast<std::uint32_t>(blocks_.size() - 1)};
  }
  roots_.push_back(block_of_[0]);
  for (const Label label : targeted)
    if (const BlockId root = block_of_[labels_.at(label)];
        std::find(roots_.begin(), roots_.end(), root) == roots_.end())
      roots_.push_back(root);
}

void Cfg::add_edges(const Version& version) {
  for (Block& block : blocks_) {
    if (block.begin == block.end) continue;
    const Successors next = successors(version.body[block.end - 1].instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) block.successors.push_back(block_of_[labels_.at(*label)]);
    if (next.next) block.successors.push_back(block_of_[block.end]);
  }
}

void Cfg::number() {
  struct Visit {
    BlockId block;
    std::size_t next;
  };
  std::vector<std::uint8_t> seen(blocks_.size());
  std::vector<Visit> path;
  const auto enter = [&](BlockId b) {
    if (!std::exchange(seen[b.id], true)) path.push_back({b, 0});
  };
  for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
    enter(*root);
    while (!path.empty()) {
      Visit& top = path.back();
      const auto& successors = blocks_[top.block.id].successors;
      if (top.next < successors.size()) {
        // The last one first, so that the arms of a branch come in order.
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
