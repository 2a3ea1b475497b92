// Which guards a run watches instead of testing them, and where it looks after them (lazy
// deoptimization, dissertation 2.7, 6.1; SEMANTICS.md, "Watchpoints").
//
// A guard on an element at a literal index, `a[k]`, or `(x == lit)` after `x = a[k]`, may be
// watched. The frame then goes on past its assume without testing it and without an exit there; it
// leaves at an *invalidation point*: an assume or anchor directly after a call, where a return
// arrives, or at the target of a back edge. So a guard is watchable only if no path leads from a
// call or store that may change the element to the guard past no invalidation point, where that
// call or store can be reached from the guard.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/semantics/schedule.h"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace sourir {

struct ElementGuard {
  Pc pc = 0;                        // of the assume
  std::uint32_t guard = 0;          // its index there
  Slot array = 0;                   // a
  std::uint64_t index = 0;          // k
  Slot loaded = resolved::kLiteral; // x; kLiteral: the guard is the element
  // The call or store because of which it must be tested; empty: it may be watched.
  std::optional<Pc> unwatched_write;
};

enum class InvalidationPoint : std::uint8_t { None, AfterCall, LoopHead };

class VersionWatchPlan {
public:
  // All guards on elements; they are watched if they may be.
  explicit VersionWatchPlan(const ResolvedVersion& code);

  InvalidationPoint point(Pc pc) const { return points_[pc]; }
  // In order of their positions.
  std::span<const ElementGuard> guards() const { return guards_; }
  std::span<const ElementGuard> guards_at(Pc pc) const;
  // Leaves out the guards that may not be watched, and those of assumes at other positions where
  // `only` is not null.
  void restrict_to(const std::vector<Pc>* only);

private:
  std::vector<InvalidationPoint> points_; // by position
  std::vector<ElementGuard> guards_;
};

// The versions with watched guards.
using WatchPlan = std::unordered_map<const ResolvedVersion*, VersionWatchPlan>;

// Null: nothing is watched. The places of the schedule must be resolved.
std::shared_ptr<const WatchPlan> watch_plan(const LinkedProgram& program,
                                            const WatchSchedule& schedule);

// Why no guard at this position may be watched; empty: one may be.
std::string why_unwatchable(const ResolvedVersion& code, Pc pc, const Names& names);

} // namespace sourir
