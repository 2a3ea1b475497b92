#include "sourir/passes/loops/loop_region.h"

#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {
namespace {

class RegionGrowth {
public:
  RegionGrowth(VersionAnalyses& facts, std::size_t loop) : facts_(facts), cfg_(facts.cfg()) {
    region.loop = loop;
    region.header = facts.loops().loops()[loop].header;
    for (const BlockId b : facts.loops().blocks(loop)) add(b);
  }

  // As long as an edge leads out to where a variable of the region is in scope.
  void grow(std::uint64_t max_size) {
    std::vector<BlockId> outside;
    std::size_t followed = 0, known = 0;
    while (region.size <= max_size &&
           (followed < region.blocks.size() || known < declared_.size())) {
      known = declared_.size();
      std::vector<BlockId> targets = std::move(outside);
      outside.clear();
      for (; followed < region.blocks.size(); ++followed)
        for (const BlockId to : cfg_[region.blocks[followed]].successors) targets.push_back(to);
      for (const BlockId to : targets) {
        if (has_.contains(to.id)) continue;
        if (carries_declared(to))
          add(to);
        else
          outside.push_back(to);
      }
    }
    std::sort(region.blocks.begin(), region.blocks.end());
    find_branched_to();
  }

  bool carries_declared(BlockId b) const {
    const auto& scope = facts_.scopes()[cfg_[b].begin];
    return b.id + 1 < cfg_.blocks().size() && scope &&
           std::any_of(scope->begin(), scope->end(), [&](Var x) { return declared_.contains(x); });
  }

  LoopRegion region;

private:
  void add(BlockId b) {
    if (!has_.insert(b.id).second) return;
    region.blocks.push_back(b);
    region.size += cfg_[b].end - cfg_[b].begin;
    for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at)
      if (const Var* const x = scope_effect(facts_.version().body[at].instr).declares)
        if (declared_.insert(*x).second) region.declared.push_back(*x);
  }

  void find_branched_to() {
    auto& to = region.branched_to;
    for (const BlockId b : region.blocks)
      if (cfg_[b].successors.size() == 2)
        for (const BlockId arm : cfg_[b].successors)
          if (!has_.contains(arm.id) && arm.id + 1 < cfg_.blocks().size()) to.push_back(arm);
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }

  VersionAnalyses& facts_;
  const Cfg& cfg_;
  std::unordered_set<std::uint32_t> has_;
  std::unordered_set<Var> declared_;
};

} // namespace

std::optional<LoopRegion> loop_region(VersionAnalyses& facts, std::size_t loop,
                                      std::uint64_t max_size, std::string& why) {
  RegionGrowth growth(facts, loop);
  growth.grow(max_size);
  const BlockId header = growth.region.header;
  if (growth.region.size > max_size)
    why = "too large";
  else if (facts.cfg()[header].begin == 0)
    why = "it is the start of the version (normalize first)";
  else if (growth.carries_declared(header))
    why = "it declares a name that is in use before (normalize first)";
  else
    return std::move(growth.region);
  return std::nullopt;
}

} // namespace sourir
