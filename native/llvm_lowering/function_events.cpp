#include "native/llvm_lowering/function_events.h"

#include "native/llvm_lowering/event_predicates.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace sourir::native {

using profiler::Event;

namespace {

// The position in the version that LLVM knows for the instruction.
std::uint32_t position(const llvm::Instruction& i) {
  const llvm::DebugLoc& where = i.getDebugLoc();
  return where && where.getLine() != 0 ? where.getLine() - 1 : profiler::kNowhere;
}

} // namespace

FunctionEvents::FunctionEvents(llvm::Function& function, const std::vector<EventMarker>& markers,
                               const ResolvedVersion& version,
                               const profiler::EventOptions& options)
    : version_(version), options_(options) {
  split_at_calls(function);
  for (const llvm::BasicBlock& block : function) worth_[&block];
  for (llvm::BasicBlock& block : function) collect(block, markers);
}

void FunctionEvents::split_at_calls(llvm::Function& function) {
  std::vector<llvm::Instruction*> calls;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& i : block)
      if (may_not_return(i)) calls.push_back(&i);
  for (llvm::Instruction* call : calls) at_call_.insert(llvm::SplitBlock(call->getParent(), call));
}

void FunctionEvents::add_event(Event event, std::uint32_t at, std::int32_t times, Worth& worth) {
  if (!options_.events.contains(event)) return;
  const bool without_position =
      options_.strategy == profiler::EventStrategy::Decode && !options_.positions;
  if (without_position) at = profiler::kNowhere;
  const auto [found, added] =
      numbers_.try_emplace({at, event}, static_cast<std::uint32_t>(sites_.size()));
  if (added) sites_.push_back({at, event});
  worth[found->second] += times;
}

void FunctionEvents::add_instruction(Pc pc, std::int32_t times, Worth& worth) {
  static const Instruction kStop = Stop{}; // versions of main have one more
  const auto& body = version_.source->body;
  const Instruction& instr = pc < body.size() ? body[pc].instr : kStop;
  const bool leads_back = is_back_edge(version_.instrs[pc], pc);
  for (const profiler::EventTimes& e : profiler::events_of(instr, leads_back))
    add_event(e.event, pc, static_cast<std::int32_t>(e.times) * times, worth);
}

void FunctionEvents::add_marker(const EventMarker& m, Worth& worth) {
  using enum EventMarker::Kind;
  switch (m.kind) {
  case Lowered: return add_event(m.event, m.first, 1, worth);
  case Exit:
    for (const Event e : profiler::events_of_exit(version_.source->body[m.first].instr))
      add_event(e, m.first, 1, worth);
    return;
  case Executed:
  case Undone:
    for (Pc pc = m.first; pc <= m.last; ++pc)
      add_instruction(pc, m.kind == Executed ? 1 : -1, worth);
  }
}

void FunctionEvents::collect(llvm::BasicBlock& block, const std::vector<EventMarker>& markers) {
  // A call at the beginning happens where the block before ends.
  bool call = at_call_.contains(&block);
  for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
    const llvm::BasicBlock* const in = call ? block.getUniquePredecessor() : &block;
    if (auto* const probe = llvm::dyn_cast<llvm::PseudoProbeInst>(&i)) {
      add_marker(markers[probe->getIndex()->getZExtValue()], worth_[in]);
      probe->eraseFromParent();
      continue;
    }
    if (is_marker_anchor(i)) {
      i.eraseFromParent();
      continue;
    }
    // A branch that only split_at_calls() has made is no event.
    if (i.isTerminator() && i.getNumSuccessors() == 1 && at_call_.contains(i.getSuccessor(0)))
      continue;
    call = false;
    for (const Event e : events_of(i)) add_event(e, position(i), 1, worth_[in]);
  }
}

Worth FunctionEvents::of_back_edge(const llvm::BasicBlock& latch) {
  Worth worth;
  add_event(Event::LlvmBackEdge, position(*latch.getTerminator()), 1, worth);
  return worth;
}

} // namespace sourir::native
