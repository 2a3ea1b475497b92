// Instrumentation for samples: the plan of slots and safepoints, and its emission. At safepoints
// the code polls the request of its SampledCode (profiler/sampled_code.h) and bails out to newer
// code. Where a sample is requested, code that is not instrumented enters the instrumented code, at
// its entry or by a bailout from a loop to its entry. Its counted loops run in strips
// (loop_strips.h) and poll between these, so that LLVM sees them as they are without samples.
// Instrumented code keeps the type of the last value of each sample slot, mostly in a register
// where its tag is anyway, and reports it at back edges and returns; of slots in short loops, which
// are sampled when these have ended, the types of all values. Code that calls itself keeps those of
// all activations since its last report: the first to return are the last ones of the recursion.
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/llvm_lowering/loop_strips.h"
#include "native/llvm_lowering/type_flow.h"
#include "sourir/semantics/resolved_loops.h"

#include <map>
#include <set>

namespace sourir::native {

// The sampled values of a version, and the safepoints at which the emitted code polls. A value of
// known type needs no sample; any other has a sample slot, and so has the storage of an array where
// the request asks for it and no guard has tested it. Code without slots, and loops in which all of
// that is known, do not poll. Computed before anything is emitted.
class SamplePlan {
public:
  // No slots where the request is without samples. strips: whether loops of uninstrumented code may
  // run in strips. Request and types must outlive this.
  SamplePlan(const CompileRequest& request, const TypeFlow& types, bool strips);

  const std::vector<SampleSlot>& slots() const { return slots_; }
  bool reports() const { return request_.instrumented; }
  // The slot of the value that the instruction binds; empty: none.
  std::optional<std::size_t> slot_at(Pc pc) const;
  // The slot of the storage of the array that it accesses; empty: none.
  std::optional<std::size_t> storage_slot_at(Pc pc) const;

  // Slots, as bits, whose kept tags are available at a safepoint and reported there.
  using SlotSet = std::uint64_t;
  struct Safepoint {
    SlotSet reported = 0;
    bool polls = false;
    bool leaves_slow = false; // polls for kLeaveSlow, also where no type is unknown
    bool strips = false;      // a back edge of a loop in strips
    bool is_short = false;    // of a short loop: a sample is taken in the loop around it
    bool to_entry = false;    // the code is for OSR, and its entry follows a bailout at once
  };
  // Of a branch or goto with a back edge: the slots of the loops that it iterates.
  Safepoint at_back_edge(Pc pc) const;
  Safepoint between_strips(Pc head) const;
  // Of a return: the slots outside loops.
  SlotSet at_return() const { return kept_in(kNoLoop); }

  // Whether the slot is sampled when its loop has ended.
  bool in_short_loop(std::size_t slot) const;
  // Whether a bailout from the loop with this head is followed by the entry of the code.
  bool leads_to_entry(Pc head) const;

  // The loop with this head, if it runs in strips; null: it does not.
  const CountedLoop* strips(Pc head) const;

private:
  void find_slots();
  void find_loops();
  void leave_short_loops();
  void find_strips(bool strips);
  void leave_to_outer_loop(Pc loop);
  std::optional<std::size_t> find_slot(Pc pc, bool storage) const;
  bool needs_slot(Pc pc) const;
  bool needs_storage_slot(Pc pc) const;
  bool parameter_needs_slot(Slot p) const;
  SlotSet kept_in(Pc loop) const;

  const CompileRequest& request_;
  const ResolvedVersion& code_;
  const TypeFlow& types_;
  std::vector<SampleSlot> slots_;
  ResolvedLoops loops_;
  std::vector<Pc> slot_loops_; // by slot: the innermost loop around it that is not short
  // The loops that poll, with the variables of unknown types that they read.
  std::map<Pc, std::set<Slot>> polling_;
  std::map<Pc, CountedLoop> strips_; // of the polling loops
  std::set<Pc> short_;               // their slots are sampled in the loop around them
};

class SampleReports {
public:
  SampleReports(Emitter& emitter, Variables& variables, Exits& exits);

  const std::vector<SampleSlot>& slots() const { return plan_.slots(); }
  const CountedLoop* strips(Pc head) const { return plan_.strips(head); }

  // At the entry, with the variables filled. `recursive`: recursive calls enter here, so the entry
  // polls for newer code; other calls find that in the FunctionCell.
  void begin(bool recursive);
  // The current instruction binds this value.
  void record(const TypedValue& v);
  // Whether the storage of the array that the current instruction accesses is recorded, and what
  // it is (Arrays::reported_storage).
  bool records_storage() const { return plan_.storage_slot_at(e_.pc()).has_value(); }
  void record_storage(llvm::Value* reported);
  // The current instruction may take a back edge; the variables are those before it.
  void at_back_edge();
  // The current instruction is the head of a loop in strips, and one of these begins.
  void between_strips();
  void at_return();

private:
  struct Poll {
    SamplePlan::SlotSet reported = 0;
    std::uint32_t bits = 0;       // of the request, for this safepoint
    std::optional<Pc> bailout_pc; // where the baseline continues if newer code exists
  };
  void poll_at_entry(bool recursive);
  Poll poll_at(const SamplePlan::Safepoint& safepoint);
  void poll(const Poll& poll);
  llvm::Value* no_request(std::uint32_t bits); // of these
  llvm::Value* count_event();
  void take_at_event(const Poll& poll);
  llvm::Value* word_of(llvm::Value* tag);
  void keep(std::size_t slot, llvm::Value* word);
  void ask(std::string_view runtime_call, llvm::Value* no_request, const Poll& poll);
  void report(SamplePlan::SlotSet reported);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  SamplePlan plan_;
  std::size_t polls_ = 0; // so far, except at returns
  // By slot: the address of the word that is reported of it, 0 before its first value.
  std::vector<llvm::Value*> kept_;
  llvm::Value* buffer_ = nullptr; // the address of the reported tags; null: no slots
};

} // namespace sourir::native
