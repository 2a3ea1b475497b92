// LLVM instructions as lines of debug locations: so the line table of machine code names the
// instruction of which each part is made. Errors: none. Threads: one for each module.
#pragma once

#include "native/runtime/native_code.h"

#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace sourir::native {

// Numbers the instructions from 1, in the order of the text, and makes these numbers the lines of
// their debug locations, which were positions of the version. Returns the instructions in that
// order.
std::vector<IrLine> number_instructions(llvm::Module& module);

} // namespace sourir::native
