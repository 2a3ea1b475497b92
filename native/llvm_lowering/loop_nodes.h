// Loops that the paths of a function cross as one node: without inner loops, and without calls that
// may not return. Which of their edges are counted, and which number of iterations an induction
// variable tells.
#pragma once

#include "native/llvm_lowering/counted_loop_edges.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace sourir::native {

struct LoopNode {
  struct Edge {
    llvm::BasicBlock* from = nullptr;
    unsigned successor = 0;
  };
  // Each iteration adds `step` to it.
  struct Induction {
    llvm::PHINode* variable = nullptr;
    llvm::Value* begins = nullptr; // its value when the loop is entered
    std::int64_t step = 0;
  };

  std::vector<llvm::BasicBlock*> blocks; // the header first
  std::vector<Edge> edges;
  std::vector<LoopEdge> graph;    // of the same edges
  std::vector<EdgeWorth> counted; // edges out of the loop first
  std::size_t in_registers = 0;   // of `counted`: those that stay in the loop
  std::optional<Induction> induction;

  bool leaves(std::uint32_t edge) const { return graph[edge].to == LoopEdge::kOutside; }
  // The induction variable tells how often it was taken.
  bool is_told(std::uint32_t edge) const { return induction && graph[edge].to == 0; }
};

LoopNode loop_node(const llvm::Loop& loop);

} // namespace sourir::native
