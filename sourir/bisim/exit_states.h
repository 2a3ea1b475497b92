// The states that exits make, as fingerprints of their frames, and whether two of them are equal.
// Internal to check_lockstep().
#pragma once

#include "sourir/bisim/lockstep_setting.h"
#include "sourir/semantics/exits.h"

namespace sourir {

// Frames of the input, each by itself, so that they can be compared one by one.
struct MarkedFrames {
  std::uint64_t depth = 0, all = 0; // `all`: the fingerprint of the whole state
  struct Mark {
    const ResolvedVersion* code;
    Pc pc;
    std::uint64_t fingerprint;
  };
  std::vector<Mark> frames;
};
struct OwnExit { // of the input, at some place
  MarkedFrames made;
  ShownState shown; // with RunRequest::show_exits
};
class ExitStates {
public:
  // `show`: with states for people.
  ExitStates(LockstepSetting& setting, bool show) : setting_(setting), show_(show) {}

  OwnExit exit_to(const Heap& heap, const SourceFrames& to);
  // The states that the exit at the place of `now` makes, then the one at the place that it leads
  // to, and so on. Blocks of deferred instructions go to `blocks`, those of the heap.
  std::vector<OwnExit> own_exits(Heap& heap, SourceFrames now, BorrowedBlocks& blocks);
  static bool same_place(const MarkedFrames& a, const MarkedFrames& b); // of the innermost frames
  // Why an exit to the same place makes another state than the input's own; empty: it does not.
  std::string differs_from_own(const MarkedFrames& own, const MarkedFrames& after) const;

private:
  static constexpr std::size_t kOwnExits = 4; // in a row
  MarkedFrames marked(const Heap& heap, std::span<const FrameView> frames, std::uint64_t depth);

  LockstepSetting& setting_;
  bool show_;
};

} // namespace sourir
