// Allocation of arrays: small ones inline, from the free lists of the heap
// (native/runtime/array.h), others by a call of the runtime.
#pragma once

#include "native/llvm_lowering/arrays.h"

namespace sourir::native {

class Allocation {
public:
  Allocation(Emitter& emitter, Exits& exits, Arrays& arrays);

  TypedValue array_of(const std::vector<TypedValue>& elements);
  TypedValue array_of_nils(const TypedValue& length);

private:
  TypedValue inline_array(Storage storage, const std::vector<TypedValue>& elements,
                          llvm::BasicBlock* slow);
  bool fits_inline(std::uint64_t length) const;

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Exits& exits_;
  Arrays& arrays_;
};

} // namespace sourir::native
