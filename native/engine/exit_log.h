// The details of exits, for the log of the tiers (TierEvent::details).
//
//   an exit is taken           begin()          its guard, in the state before
//   its frames are materialized materialized(), or dispatched() where they are not
//   the exit is reported       details()
//
// Never: changes the run. Threads: of the program.
#pragma once

#include "native/deopt/deoptimizer.h"
#include "native/deopt/exit_details.h"
#include "native/runtime/shared_names.h"

namespace sourir::native {

// The frames of an exit, innermost first: at `base`, and the return frames below the last one.
std::vector<FrameState> frames_of(const resolved::Exit& exit, const char* base,
                                  const Registers& registers);

class ExitLog {
public:
  ExitLog(const Registers& registers, const Names& names, SharedNames& lock, bool on)
      : registers_(registers), names_(names), lock_(lock), on_(on) {}

  // Whether exits are described: a precondition of the other functions.
  bool on() const { return on_; }
  // slots: of the frame that exits. forced: the schedule takes the exit.
  void begin(const DeoptEvent& event, const Value* slots, bool forced);
  void materialized(const resolved::Exit& exit, const char* base);
  // The details of an exit that continues by its context: the variables of its target.
  const ExitDetails* dispatched(const DeoptTarget& target, const Value* values);
  // Of the last exit; null: it materialized no frames of an exit (a bailout, a tier-up).
  const ExitDetails* details() const { return materialized_ ? &details_ : nullptr; }

private:
  const Registers& registers_;
  const Names& names_;
  SharedNames& lock_;
  const bool on_;
  ExitDetails details_;
  std::vector<std::vector<Value>> dispatched_; // the frames of details_, if they have no others
  bool materialized_ = false;
};

} // namespace sourir::native
