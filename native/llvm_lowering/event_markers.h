// Markers of events in LLVM IR: calls of llvm.pseudoprobe, which for LLVM's passes are no
// instructions (no size, no value, no memory that programs see), with the number of an entry in a
// list. They are taken out after these passes (event_counting.h).
//
// LLVM may drop such a call: where it executes a small block ahead of the branch to it, or folds an
// empty block. So their block has an anchor, unless light markers are asked for (EventOptions):
// llvm.sideeffect, which is nothing in machine code either and touches no memory, but is executed
// where the program would, and `nomerge` keeps each one apart. So LLVM turns fewer branches into
// data, until the markers are out (Optimizer::simplify_branches).
//
// Instructions of the version are marked where they are done: those of a region (exits.h) at its
// end, since a bailout in it makes the interpreter execute the region from its beginning. So are
// the events that lowering adds: between guards with one bailout there is no marker, and LLVM can
// merge them. Markers stand in front of what they mark: LLVM moves no load past them.
#pragma once

#include "profiler/event_code.h"
#include "sourir/semantics/resolved.h"

#include <unordered_map>
#include <vector>

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class Function;
class Instruction;
} // namespace llvm

namespace sourir::native {

struct EventMarker {
  enum class Kind : std::uint8_t {
    Executed, // the instructions from `first` to `last`, to their ends
    Undone,   // these were marked as executed, and will be executed again
    Exit,     // of the assume or anchor at `first`
    Lowered   // `event` at `first`
  };
  Kind kind = Kind::Executed;
  Pc first = 0, last = 0;
  profiler::Event event = profiler::Event::Instruction;
};

bool is_marker(const llvm::Instruction& instr); // anchors included
bool is_marker_anchor(const llvm::Instruction& instr);
void erase_markers(llvm::Function& function);

// Of one function of LLVM.
class EventMarkers {
public:
  // Events are counted; otherwise all other functions do nothing.
  explicit EventMarkers(const profiler::EventOptions* options) : options_(options) {}
  bool on() const { return options_ != nullptr; }

  // A region begins at this position: nothing before it is marked any more.
  void begin_region(Pc pc) { next_ = pc; }
  // Marks what is not marked yet, up to this instruction.
  void executed_through(llvm::IRBuilderBase& ir, Pc last);
  // The same on a way out of the region: nothing changes for the rest of the code.
  void executed_through_here(llvm::IRBuilderBase& ir, Pc last);
  void undone(llvm::IRBuilderBase& ir, Pc first, Pc last);
  void exit(llvm::IRBuilderBase& ir, Pc pc);
  void lowered(llvm::IRBuilderBase& ir, profiler::Event event, Pc pc);
  Pc region_begin() const { return next_; }
  // The region that begins at this position bails out in this block.
  void bails_out(const llvm::BasicBlock* block, Pc region) {
    if (on()) bailouts_.emplace(block, region);
  }
  // Moves the markers of what lowering adds behind the guards of its region. To be called once,
  // after the function is lowered.
  void move_behind_guards(llvm::Function& function) const;
  // Moves the markers of each block to its front, or behind the last call that may not return, and
  // leaves one anchor, after all of them. To be called last.
  void gather(llvm::Function& function) const;

  const std::vector<EventMarker>& all() const { return all_; }

private:
  void add(llvm::IRBuilderBase& ir, EventMarker marker);
  void gather(llvm::BasicBlock& block) const;
  std::vector<llvm::Instruction*> lowered_in(llvm::BasicBlock& block, Pc from) const;

  const profiler::EventOptions* options_;
  std::vector<EventMarker> all_;
  std::unordered_map<const llvm::BasicBlock*, Pc> bailouts_; // the start of the region
  Pc next_ = 0;
};

} // namespace sourir::native
