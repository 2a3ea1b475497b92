// Values that meet behind several ways of computing them.
#pragma once

#include "native/llvm_lowering/function_lowering.h"

namespace sourir::native {

class Join {
public:
  Join(llvm::IRBuilderBase& builder, llvm::BasicBlock* behind) : b_(builder), behind_(behind) {}

  // The value is there where the builder stands; goes on behind the join.
  void arrive(const Typed& value);
  // Puts the builder behind the join.
  Typed finish();

private:
  llvm::Value* meet(llvm::Value* Typed::* part);

  struct Way {
    llvm::BasicBlock* from;
    Typed value;
  };
  llvm::IRBuilderBase& b_;
  llvm::BasicBlock* behind_;
  std::vector<Way> ways_;
};

} // namespace sourir::native
