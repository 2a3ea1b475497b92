// Which values of a version are sampled, and where the emitted code polls for requests of samples.
// A value of a known type needs no sample; any other has a sample slot. Code without slots, and
// loops in which all types are known, do not poll. Computed before anything is emitted.
#pragma once

#include "native/llvm_lowering/type_flow.h"
#include "sourir/semantics/resolved_loops.h"

#include <map>
#include <set>

namespace sourir::native {

class SamplePlan {
public:
  // No slots where the request asks for no samples. The types must outlive this.
  SamplePlan(const CompileRequest& request, const TypeFlow& types);

  const std::vector<SampleSlot>& slots() const { return slots_; }
  // The slot of the value that the instruction binds.
  std::optional<std::size_t> slot_at(Pc pc) const;

  // Slots, as a set of bits, whose values are at hand at a safepoint, and are reported there.
  using SlotSet = std::uint64_t;
  struct Safepoint {
    SlotSet reported = 0;
    bool polls = false;
  };
  // At a branch or goto that may go back: the slots of the loops that it iterates.
  Safepoint at_back_edge(Pc pc) const;
  // At a return: those outside loops.
  SlotSet at_return() const { return of_loop(kNoLoop); }

private:
  void find_slots();
  void find_loops();
  bool needs_slot(Pc pc) const;
  bool parameter_needs_slot(Slot p) const;
  SlotSet of_loop(Pc loop) const;

  const CompileRequest& request_;
  const ResolvedVersion& code_;
  const TypeFlow& types_;
  std::vector<SampleSlot> slots_;
  std::vector<std::size_t> slot_at_; // by position; kNoSlot
  ResolvedLoops loops_;
  std::vector<Pc> slot_loops_; // by slot: the innermost loop around it
  // The loops whose back edges poll, with the variables of unknown types that they read.
  std::map<Pc, std::set<Slot>> polling_;
};

} // namespace sourir::native
