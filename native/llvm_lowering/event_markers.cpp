#include "native/llvm_lowering/event_markers.h"

#include "native/llvm_lowering/event_predicates.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace sourir::native {

void EventMarkers::add(llvm::IRBuilderBase& ir, EventMarker marker) {
  if (!on()) return;
  constexpr std::uint64_t kWholeFactor = ~std::uint64_t{0};
  ir.CreateIntrinsic(
      llvm::Intrinsic::pseudoprobe, {},
      {ir.getInt64(0), ir.getInt64(all_.size()), ir.getInt32(0), ir.getInt64(kWholeFactor)});
  if (options_->exact)
    ir.CreateIntrinsic(llvm::Intrinsic::sideeffect, {}, {})->addFnAttr(llvm::Attribute::NoMerge);
  all_.push_back(marker);
}

bool is_marker(const llvm::Instruction& i) {
  return llvm::isa<llvm::PseudoProbeInst>(i) || is_marker_anchor(i);
}

bool is_marker_anchor(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::sideeffect;
}

void erase_markers(llvm::Function& function) {
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& i : llvm::make_early_inc_range(block))
      if (is_marker(i)) i.eraseFromParent();
}

namespace {

// Whether the block only goes on to another one.
bool is_empty(const llvm::BasicBlock& block) {
  return &block.front() == block.getTerminator() && block.getSingleSuccessor() != nullptr;
}

} // namespace

void EventMarkers::move_behind_guards(llvm::Function& function) const {
  if (!on()) return;
  for (llvm::BasicBlock* const block :
       llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    const auto* const branch = llvm::dyn_cast_or_null<llvm::BranchInst>(block->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    for (const unsigned failing : {0U, 1U}) {
      const auto bailout = bailouts_.find(branch->getSuccessor(failing));
      llvm::BasicBlock* const next = branch->getSuccessor(1 - failing);
      if (bailout == bailouts_.end() || next->getSinglePredecessor() != block) continue;
      if (is_empty(*next)) continue; // it can be folded away as it is
      llvm::Instruction* const to = &*next->getFirstInsertionPt();
      for (llvm::Instruction* i : lowered_in(*block, bailout->second)) i->moveBefore(to);
    }
  }
}

void EventMarkers::gather(llvm::Function& function) const {
  if (!on()) return;
  for (llvm::BasicBlock& block : function) gather(block);
}

void EventMarkers::gather(llvm::BasicBlock& block) const {
  auto first = block.begin();
  while (llvm::isa<llvm::PHINode, llvm::AllocaInst>(*first)) ++first;
  llvm::Instruction* to = &*first;
  llvm::Instruction* anchor = nullptr; // of the markers gathered before `to`
  for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
    if (may_not_return(i)) {
      to = i.getNextNode();
      anchor = nullptr;
    }
    if (!is_marker(i)) continue;
    if (to == &i)
      to = i.getNextNode();
    else
      i.moveBefore(to);
    if (!is_marker_anchor(i)) continue;
    if (anchor != nullptr) anchor->eraseFromParent();
    anchor = &i; // after all markers: LLVM may move, and then drop, a marker that no anchor follows
  }
}

// The markers of a block for events that lowering adds from a position on, with their anchors.
std::vector<llvm::Instruction*> EventMarkers::lowered_in(llvm::BasicBlock& block, Pc from) const {
  std::vector<llvm::Instruction*> found;
  bool of_lowering = false;
  for (llvm::Instruction& i : block) {
    if (const auto* const probe = llvm::dyn_cast<llvm::PseudoProbeInst>(&i)) {
      const EventMarker& marker = all_[probe->getIndex()->getZExtValue()];
      of_lowering = marker.kind == EventMarker::Kind::Lowered && marker.first >= from;
    }
    if (of_lowering && is_marker(i)) found.push_back(&i);
  }
  return found;
}

void EventMarkers::executed_through(llvm::IRBuilderBase& ir, Pc last) {
  executed_through_here(ir, last);
  next_ = std::max(next_, last + 1);
}

void EventMarkers::executed_through_here(llvm::IRBuilderBase& ir, Pc last) {
  if (next_ <= last) add(ir, {EventMarker::Kind::Executed, next_, last});
}

void EventMarkers::undone(llvm::IRBuilderBase& ir, Pc first, Pc last) {
  add(ir, {EventMarker::Kind::Undone, first, last});
}

void EventMarkers::exit(llvm::IRBuilderBase& ir, Pc pc) {
  if (pc != 0) executed_through_here(ir, pc - 1);
  add(ir, {EventMarker::Kind::Exit, pc, pc});
}

void EventMarkers::lowered(llvm::IRBuilderBase& ir, profiler::Event event, Pc pc) {
  if (on() && options_->events.contains(event))
    add(ir, {EventMarker::Kind::Lowered, pc, pc, event});
}

} // namespace sourir::native
