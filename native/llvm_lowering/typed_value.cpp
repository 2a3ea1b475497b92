#include "native/llvm_lowering/typed_value.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

void Join::arrive(const TypedValue& value) {
  paths_.push_back({b_.GetInsertBlock(), value});
  b_.CreateBr(after_);
}

llvm::Value* Join::meet(llvm::Value* TypedValue::* part) {
  llvm::Value* first = paths_.front().value.*part;
  bool same = true;
  for (const Path& path : paths_) same = same && path.value.*part == first;
  if (same && llvm::isa<llvm::Constant>(first)) return first;
  llvm::PHINode* phi = b_.CreatePHI(first->getType(), static_cast<unsigned>(paths_.size()));
  for (const Path& path : paths_) phi->addIncoming(path.value.*part, path.from);
  return phi;
}

TypedValue Join::finish() {
  b_.SetInsertPoint(after_);
  if (paths_.size() == 1) return paths_.front().value;
  llvm::Value* nothing = llvm::PoisonValue::get(b_.getInt64Ty());
  if (paths_.empty()) return {nothing, nothing, kAnyType}; // the join is not reachable
  TypedValue result;
  result.types = {};
  for (const Path& path : paths_) result.types |= path.value.types;
  result.bits = meet(&TypedValue::bits);
  result.tag = meet(&TypedValue::tag);
  return result;
}

} // namespace sourir::native
