// The details of a taken exit for the log of the tiers: the guard that failed, the values that it
// reads, the materialized frames. They are only made while the log is on.
// Threads: of the program.
#pragma once

#include "native/deopt/reference_state.h"

#include <optional>
#include <string>
#include <vector>

namespace sourir::native {

// A value as `print` shows it, cut after kShownBytes.
struct ShownValue {
  Tag tag = Tag::Nil;
  std::string text;
  static constexpr std::size_t kShownBytes = 60;
};
// Precondition: the lock of the names is held, if another thread may add some.
ShownValue shown(Value value, const Names& names);

struct ExitDetails {
  bool forced = false; // by the schedule: all guards hold
  // The first guard of the assume that is not true, by its index. Empty: the exit is forced, or
  // native code took it early (a watchpoint), or it is that of a deopt map.
  std::optional<std::size_t> guard;
  StuckReason why = StuckReason::None;               // the guard has no value, for this reason
  ShownValue value;                                  // of the guard, if it has one
  std::vector<std::pair<Slot, ShownValue>> operands; // the variables that the guard reads
  // Innermost first, at most kReportedFrames; valid while the event is reported.
  std::vector<FrameState> frames;
};

// The guard part of the details: of the assume at pc, in the state `env` (values by slot; those
// that no guard reads may be anything). Takes no lock: as for shown().
ExitDetails guard_details(const ResolvedVersion& version, Pc pc, Env env, bool forced,
                          const Names& names);

} // namespace sourir::native
