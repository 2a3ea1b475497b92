// LLVM's passes and code generator for this machine.
#pragma once

#include <memory>
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

} // namespace sourir::native
