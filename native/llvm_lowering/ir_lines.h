// LLVM instructions as lines of debug locations: so the line table of machine code names the
// instruction of which each part is made. Errors: none. Threads: one for each module.
#pragma once

#include "native/runtime/native_code.h"

#include <string>
#include <vector>

namespace llvm {
class Instruction;
class Module;
class ModuleSlotTracker;
} // namespace llvm

namespace sourir::native {

// On one line (a switch has several), without the references that stand at the end: attachments
// (`, !prof !3`) and attributes of a call (` #3`).
std::string line_of(const llvm::Instruction& instruction, llvm::ModuleSlotTracker& names);

// Numbers the instructions from 1, in the order of the text, and makes these numbers the lines of
// their debug locations, which were positions of the version. Returns the instructions in that
// order.
std::vector<IrLine> number_instructions(llvm::Module& module);

} // namespace sourir::native
