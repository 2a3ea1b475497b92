#include "native/llvm_lowering/loop_nodes.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ProfDataUtils.h>

#include <algorithm>

namespace sourir::native {

namespace {

// Of an induction variable: a word does not wrap around in a run.
constexpr std::int64_t kLargestStep = 1 << 12;

std::optional<LoopNode::Induction> induction_of(llvm::PHINode& phi, llvm::BasicBlock* before,
                                                llvm::BasicBlock* latch) {
  auto* const next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(latch));
  if (!phi.getType()->isIntegerTy(64) || next == nullptr) return {};
  if (next->getOpcode() != llvm::Instruction::Add || next->getOperand(0) != &phi) return {};
  const auto* const by = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
  if (by == nullptr || by->isZero()) return {};
  const std::int64_t step = by->getSExtValue();
  if (step > kLargestStep || step < -kLargestStep) return {};
  return LoopNode::Induction{&phi, phi.getIncomingValueForBlock(before), step};
}

// One of step 1 costs least.
std::optional<LoopNode::Induction> induction_of(const llvm::Loop& loop) {
  llvm::BasicBlock *const before = loop.getLoopPredecessor(), *const latch = loop.getLoopLatch();
  if (before == nullptr || latch == nullptr) return {};
  std::optional<LoopNode::Induction> found;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    const auto induction = induction_of(phi, before, latch);
    if (induction && (!found || induction->step == 1)) found = induction;
  }
  return found;
}

bool is_unlikely(const llvm::Instruction& end, unsigned successor) {
  std::uint64_t yes = 0, no = 0;
  if (end.getNumSuccessors() != 2 || !llvm::extractBranchWeights(end, yes, no)) return false;
  return successor == 0 ? yes < no : no < yes;
}

} // namespace

LoopNode loop_node(const llvm::Loop& loop) {
  enum : std::uint32_t { Told, Unlikely, Back, Usual }; // weights
  LoopNode node;
  node.induction = induction_of(loop);
  node.blocks.push_back(loop.getHeader());
  for (llvm::BasicBlock* b : loop.blocks())
    if (b != loop.getHeader()) node.blocks.push_back(b);
  for (std::uint32_t n = 0; n < node.blocks.size(); ++n) {
    const llvm::Instruction& end = *node.blocks[n]->getTerminator();
    for (unsigned s = 0; s < end.getNumSuccessors(); ++s) {
      const auto to = std::ranges::find(node.blocks, end.getSuccessor(s));
      const bool outside = to == node.blocks.end(), back = to == node.blocks.begin();
      const auto target = static_cast<std::uint32_t>(to - node.blocks.begin());
      node.edges.push_back({node.blocks[n], s});
      node.graph.push_back({n, outside ? LoopEdge::kOutside : target,
                            back && node.induction ? Told
                            : is_unlikely(end, s)  ? Unlikely
                            : back                 ? Back
                                                   : Usual});
    }
  }
  node.counted = counted_edges(static_cast<std::uint32_t>(node.blocks.size()), node.graph);
  node.in_registers = static_cast<std::size_t>(std::ranges::count_if(
      node.counted, [&](const EdgeWorth& e) { return !node.leaves(e.edge); }));
  return node;
}

} // namespace sourir::native
