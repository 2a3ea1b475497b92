// LLVM's passes and code generator for this machine, and the stubs that pass values on the stack.
#pragma once

#include "native/runtime/native_code.h"

#include <memory>
#include <span>
#include <string>

namespace llvm {
class Function;
class MemoryBuffer;
class Module;
class TargetMachine;
} // namespace llvm

namespace sourir::native {

// Levels as in CompileOptions. Errors of LLVM: std::runtime_error.
class Optimizer {
public:
  Optimizer();
  ~Optimizer();

  // Triple and data layout.
  void prepare(llvm::Module& module) const;
  // The changes of each pass are appended to `changes`, if there is such a list; level 0: the code
  // as it was lowered.
  void optimize(llvm::Module& module, unsigned level,
                std::vector<PassChange>* changes = nullptr) const;
  // What markers kept as branches, after they are taken out.
  void simplify_branches(llvm::Function& function) const;
  std::unique_ptr<llvm::MemoryBuffer> object(llvm::Module& module, unsigned level) const;
  std::string assembly(llvm::Module& module, unsigned level) const;

private:
  llvm::TargetMachine& target(unsigned level) const { return level == 0 ? *fast_ : *good_; }

  std::unique_ptr<llvm::TargetMachine> fast_, good_;
};

// A runtime function that takes values in memory, called with the values as further arguments: by
// the C convention of x86-64 arguments beyond six registers lie in sequence on the stack, which is
// the layout that `const Value*` points to. So handing over a hundred variables is one instruction
// of LLVM IR, and no frame has a buffer. A stub sets the pointers. Where the call is rare and
// execution goes on after it, the stub also preserves registers, so that code without other calls
// need not save any.
struct Stub {
  const char* name; // of the runtime function
  // The stub, called instead: five arguments of the function, of which values and pointers to them
  // are undefined, the function itself as the sixth, then bits and tag of each value.
  void (*code)();
  // The convention is LLVM's preserve_most: all general registers but r11 and those of the result,
  // rax and rdx, are preserved.
  bool preserves = false;
  bool takes_machine = true; // as its first argument; false: of values alone
};
std::span<const Stub> runtime_stubs();

} // namespace sourir::native
