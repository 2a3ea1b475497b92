// Runtime functions that take values in memory, called with the values as further arguments: by the
// C convention of x86-64 what does not fit into six registers lies in a row on the stack, which is
// what `const Value*` points to. So writing down a hundred variables is one instruction of LLVM IR,
// and no frame has a buffer. A few instructions in between set the pointers.
#pragma once

#include <span>

namespace sourir::native {

struct ValuesOnStack {
  const char* name; // of the runtime function
  // To be called instead: five arguments of the function, those that are pointers to values left
  // undefined, the function itself as the sixth, then bits and tag of each value.
  void (*code)();
};
std::span<const ValuesOnStack> functions_with_values();

} // namespace sourir::native
