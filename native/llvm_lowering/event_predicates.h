// Which events an instruction of LLVM IR is, after LLVM's passes: the predicates of the rows of
// profiler/event_types.h with the phase Llvm. And which calls may not return.
#pragma once

#include "profiler/event_types.h"

#include <vector>

namespace llvm {
class Instruction;
} // namespace llvm

namespace sourir::native {

// All but LlvmBackEdge, which is of an edge.
std::vector<profiler::Event> events_of(const llvm::Instruction& instr);

// A call after which the rest of the function may not be executed: the callee may end the run.
bool may_not_return(const llvm::Instruction& instr);

} // namespace sourir::native
