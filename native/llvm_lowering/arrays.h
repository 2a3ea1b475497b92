// Loads from arrays, stores into them, their lengths. Arrays store their elements by type
// (native/runtime/array.h); where feedback has recorded a single storage, the code speculates on
// it.
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/runtime/array.h"

namespace sourir::native {

class Arrays {
public:
  Arrays(Emitter& emitter, const TypeFlow& types, Exits& exits);

  // What is not an array, no index, or out of bounds bails out.
  TypedValue length(const TypedValue& array);
  // speculated: the types that the element is assumed to have.
  TypedValue load(const TypedValue& array, const TypedValue& index, TypeSet speculated);
  void store(const TypedValue& array, const TypedValue& index, const TypedValue& value);
  // Into elements at `data` of this storage, which fits the value; the index is in bounds.
  void store_element(llvm::Value* data, llvm::Value* index, const TypedValue& value,
                     Storage storage);

private:
  llvm::Value* address(const TypedValue& array);
  llvm::Value* field(llvm::Value* array, Memory which);
  llvm::Value* has_storage(llvm::Value* found, Storage storage);
  llvm::Value* loads_as(llvm::Value* found, Storage storage);
  llvm::Value* data_in(llvm::Value* array, llvm::Value* index, Storage storage);
  llvm::Value* element_address(llvm::Value* data, llvm::Value* index, Storage storage);
  TypedValue load_element(llvm::Value* data, llvm::Value* index, Storage storage);
  TypedValue load_filled(llvm::Value* array, llvm::Value* data, llvm::Value* index,
                         Storage speculated, Join& join);
  bool speculates_on_fit(StorageSet storages, const TypedValue& value) const;
  void store_into(llvm::Value* array, llvm::Value* index, const TypedValue& value, Storage storage,
                  llvm::BasicBlock* slow, llvm::BasicBlock* done);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  const TypeFlow& types_;
  Exits& exits_;
};

} // namespace sourir::native
