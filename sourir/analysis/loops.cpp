#include "sourir/analysis/loops.h"

#include <algorithm>
#include <numeric>

namespace sourir {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

// Blocks of loops found so far are represented by one node, their outermost header.
class Collapsed {
public:
  explicit Collapsed(std::size_t blocks) : up_(blocks) {
    std::iota(up_.begin(), up_.end(), std::uint32_t{0});
  }
  BlockId header(BlockId b) {
    while (up_[b.id] != b.id) b.id = up_[b.id] = up_[up_[b.id]];
    return b;
  }
  void collapse(BlockId node, BlockId into) { up_[node.id] = into.id; }

private:
  std::vector<std::uint32_t> up_;
};

} // namespace

Loops::Loops(const Cfg& cfg, const Dominators& dominators) : innermost_(cfg.blocks().size()) {
  find(cfg, dominators);
  order_blocks(cfg);
  find_preheaders(cfg);
}

void Loops::find(const Cfg& cfg, const Dominators& dominators) {
  // From the last header in reverse postorder to the first, so inner loops before outer ones.
  Collapsed nodes(cfg.blocks().size());
  const auto& order = cfg.reverse_postorder();
  for (auto header = order.rbegin(); header != order.rend(); ++header) {
    Loop loop{.header = *header};
    for (const BlockId p : cfg[*header].predecessors)
      if (dominators.dominates(*header, p)) loop.latches.push_back(p);
    if (loop.latches.empty()) continue;
    std::sort(loop.latches.begin(), loop.latches.end());
    loop.latches.erase(std::unique(loop.latches.begin(), loop.latches.end()), loop.latches.end());
    const std::size_t self = loops_.size();
    innermost_[header->id] = self;
    std::vector<BlockId> work = loop.latches;
    loops_.push_back(std::move(loop));
    while (!work.empty()) {
      const BlockId node = nodes.header(work.back());
      work.pop_back();
      if (node == *header) continue;
      nodes.collapse(node, *header);
      // The blocks of a node that is a loop have their innermost loop already.
      if (innermost_[node.id])
        loops_[*innermost_[node.id]].parent = self;
      else
        innermost_[node.id] = self;
      for (const BlockId p : cfg[node].predecessors) work.push_back(p);
    }
  }
  const std::size_t count = loops_.size();
  std::reverse(loops_.begin(), loops_.end());
  for (Loop& loop : loops_)
    if (loop.parent) loop.parent = count - 1 - *loop.parent;
  for (auto& loop : innermost_)
    if (loop) loop = count - 1 - *loop;
  for (Loop& loop : loops_)
    if (loop.parent) loop.depth = loops_[*loop.parent].depth + 1;
}

void Loops::order_blocks(const Cfg& cfg) {
  // The sizes of the loops give the extents; blocks in reverse postorder fill them.
  std::vector<std::uint32_t> own(loops_.size()), size(loops_.size());
  for (const BlockId b : cfg.reverse_postorder())
    if (innermost_[b.id]) ++own[*innermost_[b.id]];
  size = own;
  for (std::size_t l = loops_.size(); l-- > 0;)
    if (loops_[l].parent) size[*loops_[l].parent] += size[l];
  extents_.resize(loops_.size());
  std::vector<std::uint32_t> next_inner(loops_.size()), next_own(loops_.size());
  std::uint32_t next_outer = 0;
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    std::uint32_t& from = loops_[l].parent ? next_inner[*loops_[l].parent] : next_outer;
    extents_[l] = {from, from + size[l]};
    next_own[l] = from;
    next_inner[l] = from + own[l];
    from += size[l];
  }
  ordered_.resize(next_outer);
  place_.assign(cfg.blocks().size(), kNowhere);
  for (const BlockId b : cfg.reverse_postorder())
    if (innermost_[b.id]) ordered_[place_[b.id] = next_own[*innermost_[b.id]]++] = b;
}

void Loops::find_preheaders(const Cfg& cfg) {
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const BlockId header = loops_[l].header;
    if (cfg[header].root) continue;
    std::optional<BlockId> outside;
    bool only = true;
    for (const BlockId p : cfg[header].predecessors) {
      if (contains(l, p)) continue;
      only &= !outside;
      outside = p;
    }
    if (outside && only && cfg[*outside].successors.size() == 1) loops_[l].preheader = outside;
  }
}

std::span<const BlockId> Loops::blocks(std::size_t loop) const {
  return std::span(ordered_).subspan(extents_[loop].first,
                                     extents_[loop].second - extents_[loop].first);
}

std::vector<std::pair<BlockId, BlockId>> Loops::exits(const Cfg& cfg, std::size_t loop) const {
  std::vector<std::pair<BlockId, BlockId>> found;
  for (const BlockId b : blocks(loop))
    for (const BlockId to : cfg[b].successors)
      if (!contains(loop, to)) found.emplace_back(b, to);
  return found;
}

} // namespace sourir
