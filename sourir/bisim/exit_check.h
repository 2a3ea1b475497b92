// The check of the output's exits: each must make the state of the input that the map gives, or one
// that an exit of the input itself makes at the same place. After an exit to code that the input is
// not in, the input's configuration is rebuilt and followed from there. Internal to
// check_lockstep().
#pragma once

#include "sourir/bisim/lockstep_state.h"
#include "sourir/semantics/resolved.h"

#include <map>

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
// The states that exits make, as fingerprints of their frames, and their comparison.
class ExitStates {
public:
  // `show`: also the values of states, for reports.
  ExitStates(LockstepSetting& setting, bool show) : setting_(setting), show_(show) {}

  OwnExit exit_to(const Heap& heap, const SourceFrames& to);
  // The states that the exit at the place of `now` makes, then the one at the place that it leads
  // to, and so on. Blocks of deferred instructions go to `blocks`, those of the heap.
  std::vector<OwnExit> own_exits(Heap& heap, SourceFrames now, BorrowedBlocks& blocks);
  static bool same_place(const MarkedFrames& a, const MarkedFrames& b); // of the innermost frames
  // Why an exit to the same place makes another state than the input's own; empty: it does not.
  std::string differs_from_own(const MarkedFrames& own, const MarkedFrames& after) const;

private:
  MarkedFrames marked(const Heap& heap, std::span<const FrameView> frames, std::uint64_t depth);

  LockstepSetting& setting_;
  bool show_;
};

class ExitCheck {
public:
  explicit ExitCheck(LockstepState& state)
      : s_(state), states_(state.setting, state.request.show_exits) {}

  // A step of the output, which is at an assume or anchor.
  StepResult step(std::string& printed);
  // Why a forced exit, which the program would not take, failed; the run is over then.
  std::optional<StuckReason> failed() const { return failed_; }

private:
  // Bound of the deoptimizations of one site beyond the steps of the input: while no exit is
  // forced, each of them is at another state of the input's run.
  static constexpr std::uint64_t kMoreDeoptimizations = 64;

  // Steps of the input in one run to find exits that it passes: for many exits of the output
  // without an event between them they would be too many.
  static constexpr std::uint64_t kPassedSteps = 4'000'000;

  // The input's state before the output exits, and the states that exits of the input itself make
  // from there.
  struct Before {
    bool mapped = false;
    std::uint64_t depth = 0;
    std::vector<std::pair<const ResolvedVersion*, Pc>> places; // of all frames
    std::vector<OwnExit> own;
    const ResolvedVersion* code = nullptr; // of the output
    Pc pc = 0;
    std::size_t frames = 0; // below
    std::vector<Value> env;
  };

  void count_injected();
  StepResult take_exit(bool forced, std::string& printed);
  void count_deoptimization(const ResolvedVersion* code, Pc pc);
  Before state_before();
  bool no_progress(const Before& before) const;
  void check_exit(const Before& before);
  bool stays_in_code(const Before& before, const SourceFrames& after) const;
  OwnExit like_own(const Before& before, const OwnExit& own, const OwnExit& after);
  // Whether an exit that the input passes, up to its next event, makes this state.
  std::optional<OwnExit> passed_exit(const MarkedFrames& after);
  void settle();

  LockstepState& s_;
  ExitStates states_;
  std::map<std::pair<const ResolvedVersion*, Pc>, std::uint64_t> deoptimizations_; // by site
  std::optional<StuckReason> failed_;
  std::uint64_t passed_steps_ = 0;
};

} // namespace sourir
