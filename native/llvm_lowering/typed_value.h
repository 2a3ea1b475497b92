// Values in the code that is emitted. A value of the program is a pair of LLVM values, its bits and
// its tag; the tag is a constant where the type is known (unboxed: LLVM drops the pair).
#pragma once

#include "native/llvm_lowering/type_flow.h"

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace sourir::native {

struct TypedValue {
  llvm::Value* bits = nullptr; // i64
  llvm::Value* tag = nullptr;  // i64
  TypeSet types = kAnyType;    // that it can have
};

// One value that is computed on several control-flow paths, and the block where they join.
class Join {
public:
  Join(llvm::IRBuilderBase& builder, llvm::BasicBlock* after) : b_(builder), after_(after) {}

  // The value on the path that ends at the builder's position; emits the branch to the join.
  void arrive(const TypedValue& value);
  // Moves the builder to the join and emits the phis. Types: the union of those of the paths.
  TypedValue finish();

private:
  llvm::Value* meet(llvm::Value* TypedValue::* part);

  struct Path {
    llvm::BasicBlock* from;
    TypedValue value;
  };
  llvm::IRBuilderBase& b_;
  llvm::BasicBlock* after_;
  std::vector<Path> paths_;
};

} // namespace sourir::native
