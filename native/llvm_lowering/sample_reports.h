// Instrumentation for samples: the plan of slots and safepoints, and its emission. At safepoints
// the code polls the request of its SampledCode (profiler/sampled_code.h), reports tags of its
// sample slots where a sample is requested, and bails out to newer code. Two ways to know the tags:
//  - Counted loops run in strips (loop_strips.h), poll between these, and are emitted twice: "A
//    framework for reducing the cost of instrumented code" (Arnold and Ryder, PLDI 2001). The usual
//    code records nothing, so LLVM sees the loop as it is without samples. A sample is an
//    iteration in the copy, which stores the tags and reports them at its first back edge.
//  - Elsewhere the code keeps the tag of the last value of each slot, mostly in a register where it
//    is anyway, and polls at back edges and returns. (Copies of that code were measured, and cost
//    more: bench/results/sampling.md.)
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/llvm_lowering/loop_strips.h"
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
  // No slots where the request is without samples. strips: whether loops may run in strips.
  // Request and types must outlive this.
  SamplePlan(const CompileRequest& request, const TypeFlow& types, bool strips);

  const std::vector<SampleSlot>& slots() const { return slots_; }
  // The slot of the value that the instruction binds; empty: none.
  std::optional<std::size_t> slot_at(Pc pc) const;
  // Whether the copy samples the slot; otherwise its tag is kept.
  bool is_copied(std::size_t slot) const { return strips_.contains(slot_loops_[slot]); }
  bool has_copy() const;

  // Slots, as bits, whose kept tags are available at a safepoint and reported there.
  using SlotSet = std::uint64_t;
  struct Safepoint {
    SlotSet reported = 0;
    bool polls = false;
    bool copy = false;   // a sample continues in the copy
    bool strips = false; // a back edge of a loop in strips
  };
  // Of a branch or goto with a back edge: the slots of the loops that it iterates.
  Safepoint at_back_edge(Pc pc) const;
  Safepoint between_strips(Pc head) const;
  // Of a return: the slots outside loops.
  SlotSet at_return() const { return kept_in(kNoLoop); }

  // The loop with this head, if it runs in strips; null: it does not.
  const CountedLoop* strips(Pc head) const;
  // Whether the copy ends with this jump: at a back edge, except those of short loops, which would
  // have two entries otherwise, and no constant number of iterations.
  bool ends_copy(Pc from, Pc to) const;

private:
  void find_slots();
  void find_loops();
  void find_strips(bool strips);
  void leave_to_outer_loop(Pc loop);
  bool needs_slot(Pc pc) const;
  bool parameter_needs_slot(Slot p) const;
  SlotSet kept_in(Pc loop) const;

  const CompileRequest& request_;
  const ResolvedVersion& code_;
  const TypeFlow& types_;
  std::vector<SampleSlot> slots_;
  std::vector<std::size_t> slot_at_; // by position; kNoSlot
  ResolvedLoops loops_;
  std::vector<Pc> slot_loops_; // by slot: the innermost loop around it that is not short
  // The loops that poll, with the variables of unknown types that they read.
  std::map<Pc, std::set<Slot>> polling_;
  std::set<Pc> short_;               // counted loops that do not poll: those around them do
  std::map<Pc, CountedLoop> strips_; // of the polling loops
};

class SampleReports {
public:
  SampleReports(Emitter& emitter, Variables& variables, Exits& exits);

  const std::vector<SampleSlot>& slots() const { return plan_.slots(); }
  bool has_copy() const { return plan_.has_copy(); }
  const CountedLoop* strips(Pc head) const { return plan_.strips(head); }
  bool ends_copy(Pc to) const { return plan_.ends_copy(e_.pc(), to); }

  // At the entry, with the variables filled. `polls`: recursive calls enter here, so the entry
  // polls for newer code; other calls find that in the FunctionCell.
  void begin(bool polls);
  // The current instruction binds this value.
  void record(const TypedValue& v, bool in_copy);
  // The current instruction may take a back edge; the variables are those before it.
  void at_back_edge();
  // The current instruction is the head of a loop in strips, and one of these begins. Returns the
  // block, without its end, that continues in the copy; null: there is none.
  llvm::BasicBlock* between_strips();
  std::uint64_t strip() const; // iterations
  void at_return();
  // Where the copy ends.
  void report();

private:
  struct Poll {
    SamplePlan::SlotSet reported = 0;
    std::uint32_t bits = 0; // of the request, for this safepoint
    bool copy = false;
    std::optional<Pc> bailout_pc; // where the baseline continues if newer code exists
  };
  Poll poll_at(const SamplePlan::Safepoint& safepoint);
  llvm::BasicBlock* poll(const Poll& poll);
  llvm::BasicBlock* count_event(const Poll& poll);
  llvm::BasicBlock* ask(std::string_view runtime_call, llvm::Value* no_request, const Poll& poll);
  void store_kept_tags(SamplePlan::SlotSet reported);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  SamplePlan plan_;
  std::size_t polls_ = 0;          // so far, except at returns
  std::vector<llvm::Value*> tags_; // by slot: the address of its kept tag, or kNoTag
  llvm::Value* buffer_ = nullptr;  // the address of the reported tags; null: no slots
};

} // namespace sourir::native
