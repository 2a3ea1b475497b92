// LLVM's passes and code generator for this machine.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
class TargetMachine;
} // namespace llvm

namespace sourir::native {

class Optimizer {
public:
  Optimizer();
  ~Optimizer();

  // Triple and data layout.
  void prepare(llvm::Module& module) const;
  void optimize(llvm::Module& module, unsigned level) const;
  std::unique_ptr<llvm::MemoryBuffer> object(llvm::Module& module, unsigned level) const;
  std::string assembly(llvm::Module& module, unsigned level) const;

private:
  llvm::TargetMachine& target(unsigned level) const { return level == 0 ? *fast_ : *good_; }

  std::unique_ptr<llvm::TargetMachine> fast_, good_;
};

// Runtime functions that take values in memory, called with the values as further arguments: by the
// C convention of x86-64 what does not fit into six registers lies in a row on the stack, which is
// what `const Value*` points to. So writing down a hundred variables is one instruction of LLVM IR,
// and no frame has a buffer. A few instructions in between set the pointers.

struct ValuesOnStack {
  const char* name; // of the runtime function
  // To be called instead: five arguments of the function, those that are pointers to values left
  // undefined, the function itself as the sixth, then bits and tag of each value.
  void (*code)();
};
std::span<const ValuesOnStack> functions_with_values();

} // namespace sourir::native
