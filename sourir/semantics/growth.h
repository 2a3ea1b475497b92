// Growth [ext]: a program may get versions while it runs, and a running frame may move into an
// added continuation (SEMANTICS.md). The schedule says when: for a log of the tiers, what they did
// (sourir/replay). Part of the configuration, so a run that grows can be stepped in both
// directions.
#pragma once

#include "sourir/semantics/link.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace sourir {

inline constexpr std::uint64_t kAnyDepth = ~std::uint64_t{0};

struct GrowthStep {
  enum class Kind : std::uint8_t {
    Enter,  // calls of the function of `code` enter `into` from the call with event `events` on
    MoveIn, // the frames move into `into`: OsrEntry
    Mapped, // the frame deoptimizes by a state map: MapDeopt
    Exit,   // an exit of `code` is taken, as the semantics has it
    Remark, // nothing happens
  };
  Kind kind = Kind::Remark;
  // The counters after the step. MoveIn: the depth before it, or kAnyDepth.
  std::uint64_t events = 0, depth = 0;
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  const ResolvedVersion* into = nullptr;        // Enter: null for the program's own versions
  const OutlinedFrom* rest = nullptr;           // MoveIn: what `into` is the rest of
  std::span<const std::vector<Slot>> with = {}; // MoveIn: slots of each frame, innermost first
  const resolved::Exit* exit = nullptr;         // Mapped
};

// In the order in which the steps happen. Everything that they refer to must outlive the schedule.
class GrowthSchedule {
public:
  explicit GrowthSchedule(std::vector<GrowthStep> steps);

  const std::vector<GrowthStep>& steps() const { return steps_; }
  // The step that is made before the current instruction; null: none.
  const GrowthStep* pending(const Config& c) const;
  // Whether the frames are those of the step: its callers wait where it says.
  static bool waits_for(const Config& c, const GrowthStep& step);
  // The added version that a call of the function enters now; null: one of the program's own.
  const ResolvedVersion* entered(const Config& c, FunName function) const;
  // Counts the events and the steps of the schedule that the effect brings; before it is applied.
  void count(Config& c, const Effect& effect) const;

private:
  std::size_t after_remarks(const Config& c) const;

  std::vector<GrowthStep> steps_;
  std::unordered_map<FunName, std::vector<std::size_t>> entries_; // Enter, by function
};

// The rule of growth that applies, if one does.
Next grows(const Config& c);

} // namespace sourir
