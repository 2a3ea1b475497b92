// Arrays (native/runtime/array.h): loads, stores and lengths, allocation, and loads replaced by
// watchpoints. Where feedback has recorded a single storage, the code speculates on it.
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/runtime/array.h"

namespace sourir::native {

class Arrays {
public:
  Arrays(Emitter& emitter, const TypeFlow& types, Exits& exits);

  // These bail out unless the array is one, and the index an int in bounds.
  TypedValue length(const TypedValue& array);
  // Whether it is an array whose elements all have the type, one of kElementTypes.
  TypedValue elements_are(const TypedValue& array, Tag type);
  // `speculated`: the types that the element is assumed to have.
  TypedValue load(const TypedValue& array, const TypedValue& index, TypeSet speculated);
  void store(const TypedValue& array, const TypedValue& index, const TypedValue& value);
  // Stores among the elements at `data`. Preconditions: the value fits the storage; index in
  // bounds.
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

// Allocation of arrays: small ones inline, from the free lists of the heap, others by a call of the
// runtime.
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

// Watchpoints on elements: where a guard compares an element at a literal index with a literal, the
// emitted code tests one word of a watchpoint instead of loading the element. The runtime resets
// the word when the element changes.
class WatchpointLoads {
public:
  WatchpointLoads(Emitter& emitter, Variables& variables, Exits& exits, Arrays& arrays);

  // The value that a guard assumes of an element: of `a[0]` in the guard itself, or after
  // `x = a[0]`, the current instruction, of x in a guard soon after. Empty: an ordinary load.
  std::optional<Value> assumed(const resolved::Expr& e) const;
  // The element, by a watchpoint for this value unless the host has none.
  TypedValue load(const resolved::Expr& e, Value assumed, TypeSet speculated);

private:
  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  Arrays& arrays_;
};

} // namespace sourir::native
