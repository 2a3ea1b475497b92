// Writing a version with copies of some of its loops. Internal to unroll.
#pragma once

#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/loops/loop_region.h"

namespace sourir {

class LoopCopies {
public:
  explicit LoopCopies(VersionTask& task);

  // Copies of the loop: before it (peeled), or taken in turns with it. The region must not overlap
  // with one that was added before (overlaps()).
  void add(LoopRegion region, std::uint32_t copies, bool peeled);
  bool overlaps(const LoopRegion& region) const;
  bool empty() const { return plans_.empty(); }
  VersionDraft::Done write() &&;

private:
  struct Plan {
    LoopRegion region;
    bool peeled;
    std::vector<Renaming> copies; // 1 .. N at 0 .. N-1
    std::vector<std::uint32_t> contexts;
  };
  struct From { // an instruction: of the version, or of a copy (from 1) of the plan's region
    BlockId block;
    const Plan* plan = nullptr;
    std::size_t copy = 0;
  };

  bool in_loop(const Plan& plan, BlockId b) const;
  bool is_end(BlockId b) const { return b.id + 1 == cfg_.blocks().size(); }
  BlockId block_at(Label label) const { return cfg_.block_of(cfg_.position_of(label)); }
  Label next_round(const Plan& plan, std::size_t copy, Label header) const;
  Label target(const From& from, Label label) const;
  // A jump from outside of all copies' regions, or out of one, to the label.
  Label entered(Label label) const;
  Label some_label(BlockId b) const;

  void write_block(BlockId b);
  void write_lead_in(BlockId b);
  void write_copies(const Plan& plan);
  void write_copied_block(const From& from);
  void write_way_out(const From& from, Instruction instr, Position at, Marks marks);
  void write_fall(const From& from);
  void jump(Label label, Position origin);

  VersionTask& task_;
  const Cfg& cfg_;
  FreshNames fresh_;
  VersionDraft draft_;
  std::vector<Plan> plans_;
  std::unordered_map<std::uint32_t, std::size_t> plan_of_; // of each block of a region
  std::unordered_map<std::uint32_t, Label> joins_; // blocks that branches of copies come to, too
};

} // namespace sourir
