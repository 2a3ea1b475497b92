// Instrumentation for samples: the plan of slots and safepoints, and its emission. The code keeps
// the tag of the last value of each sample slot, mostly in a register where it is anyway. At
// safepoints (back edges, returns) it polls the request of its SampledCode
// (profiler/sampled_code.h); a cold block reports the requested tags to the runtime, or bails out
// to newer code.
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/llvm_lowering/type_flow.h"
#include "sourir/semantics/resolved_loops.h"

#include <map>
#include <set>

namespace sourir::native {

// The sampled values of a version, and the safepoints at which the emitted code polls. A value of
// known type needs no sample; any other has a sample slot. Code without slots, and loops in which
// all types are known, do not poll. Computed before anything is emitted.
class SamplePlan {
public:
  // No slots where the request is without samples. Request and types must outlive this.
  SamplePlan(const CompileRequest& request, const TypeFlow& types);

  const std::vector<SampleSlot>& slots() const { return slots_; }
  // The slot of the value that the instruction binds; empty: none.
  std::optional<std::size_t> slot_at(Pc pc) const;

  // Slots, as bits, whose values are available at a safepoint and reported there.
  using SlotSet = std::uint64_t;
  struct Safepoint {
    SlotSet reported = 0;
    bool polls = false;
  };
  // Of a branch or goto with a back edge: the slots of the loops that it iterates.
  Safepoint at_back_edge(Pc pc) const;
  // Of a return: the slots outside loops.
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

class SampleReports {
public:
  SampleReports(Emitter& emitter, Variables& variables, Exits& exits);

  const std::vector<SampleSlot>& slots() const { return plan_.slots(); }
  // At the entry, with the variables filled. `polls`: recursive calls enter here, so the entry
  // polls for newer code; other calls find that in the FunctionCell.
  void begin(bool polls);
  // The current instruction binds this value.
  void record(const TypedValue& v);
  // The current instruction may take a back edge; the variables are those before it.
  void at_back_edge();
  void at_return();

private:
  struct Poll {
    SamplePlan::SlotSet reported = 0;
    std::uint32_t bits = 0;       // of the request, for this safepoint
    std::optional<Pc> bailout_pc; // where the baseline continues if newer code exists
  };
  void poll(const Poll& poll, std::uint32_t also);
  void count_event(const Poll& poll);
  void report(std::string_view runtime_call, llvm::Value* no_request, const Poll& poll);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  SamplePlan plan_;
  std::size_t polling_back_edges_ = 0; // so far
  std::vector<llvm::Value*> tags_;     // by slot: the address of its tag, or kNoTag
  llvm::Value* buffer_ = nullptr;      // the address of the reported tags; null: no slots
};

} // namespace sourir::native
