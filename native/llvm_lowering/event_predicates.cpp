#include "native/llvm_lowering/event_predicates.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/ProfDataUtils.h>

#include <algorithm>

namespace sourir::native {

namespace {

using profiler::Event;

// The name of the runtime function, "stub." included; empty: another callee.
llvm::StringRef runtime_function(const llvm::CallBase& call) {
  const llvm::StringRef name = call.getCalledOperand()->getName();
  return name.starts_with("rt_") || name.starts_with("stub.rt_") ? name : llvm::StringRef();
}

bool is_marked_unlikely(const llvm::Instruction& branch) {
  std::uint64_t yes = 0, no = 0;
  constexpr std::uint64_t kMany = 1000; // ModuleLowering::unlikely() has more
  return branch.getNumSuccessors() == 2 && llvm::extractBranchWeights(branch, yes, no) &&
         std::max(yes, no) / kMany > std::min(yes, no);
}

// What it is, but for vectors and the categories that hold for many opcodes.
void add_by_opcode(const llvm::Instruction& i, std::vector<Event>& events) {
  using llvm::Instruction;
  const auto add = [&](Event general, bool division = false, Event special = {}) {
    events.push_back(general);
    if (division) events.push_back(special);
  };
  switch (i.getOpcode()) {
  case Instruction::Load: return add(Event::LlvmLoad);
  case Instruction::Store: return add(Event::LlvmStore);
  case Instruction::Select: return add(Event::LlvmSelect);
  case Instruction::ICmp:
  case Instruction::FCmp: return add(Event::LlvmComparison);
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg: return add(Event::LlvmFloatArithmetic);
  case Instruction::FDiv:
  case Instruction::FRem: return add(Event::LlvmFloatArithmetic, true, Event::LlvmFloatDivision);
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem: return add(Event::LlvmIntArithmetic, true, Event::LlvmIntDivision);
  case Instruction::SIToFP:
  case Instruction::UIToFP:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc: return add(Event::LlvmConversion);
  default:
    if (i.isBinaryOp()) add(Event::LlvmIntArithmetic);
  }
}

void add_call(const llvm::CallBase& call, std::vector<Event>& events) {
  const llvm::Function* const f = call.getCalledFunction();
  if (llvm::isa<llvm::MemIntrinsic>(call)) return events.push_back(Event::LlvmMemoryCopy);
  if (f != nullptr && f->isIntrinsic()) {
    const bool is_float = call.getType()->getScalarType()->isDoubleTy();
    return events.push_back(is_float ? Event::LlvmFloatArithmetic : Event::LlvmIntArithmetic);
  }
  const bool runtime = !runtime_function(call).empty() || (f != nullptr && f->isDeclaration());
  events.push_back(runtime ? Event::LlvmRuntimeCall : Event::LlvmCall);
}

bool is_code(const llvm::Instruction& i) {
  return !llvm::isa<llvm::PHINode, llvm::DbgInfoIntrinsic, llvm::PseudoProbeInst, llvm::AssumeInst,
                    llvm::AllocaInst>(i) &&
         !i.isLifetimeStartOrEnd() && !llvm::isa<llvm::NoAliasScopeDeclInst>(i);
}

} // namespace

std::vector<Event> events_of(const llvm::Instruction& i) {
  if (!is_code(i)) return {};
  std::vector<Event> events{Event::LlvmInstruction};
  if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i)) add_call(*call, events);
  add_by_opcode(i, events);
  if (i.isTerminator() && i.getNumSuccessors() > 1) {
    events.push_back(Event::LlvmBranch);
    if (is_marked_unlikely(i)) events.push_back(Event::LlvmUnlikelyBranch);
  }
  if (i.getType()->isVectorTy()) events.push_back(Event::LlvmVector);
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(i) && i.getAccessType()->isVectorTy())
    events.push_back(Event::LlvmVectorAccess);
  return events;
}

bool may_not_return(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) return false;
  const llvm::Function* const f = call->getCalledFunction();
  if (f != nullptr && f->isIntrinsic()) return false;
  llvm::StringRef name = runtime_function(*call);
  if (name.empty()) return f == nullptr || !f->isDeclaration();
  name.consume_front("stub.");
  constexpr llvm::StringRef kEnding[] = {
      "rt_call",    "rt_stop",    "rt_out_of_fuel",    "rt_dropped_exit", "rt_deoptimize",
      "rt_bailout", "rt_tier_up", "rt_deoptimize_osr", "rt_bailout_osr",  "rt_tier_up_osr"};
  return std::ranges::find(kEnding, name) != std::end(kEnding);
}

} // namespace sourir::native
