// Arrays (native/runtime/array.h): loads, stores and lengths, allocation, and loads replaced by
// watchpoints. Where a guard on the way has tested the types of the elements, an access is a
// comparison of the index and a load or store.
#pragma once

#include "native/llvm_lowering/exits.h"
#include "native/runtime/array.h"

namespace sourir::native {

class Arrays {
public:
  Arrays(Emitter& emitter, Exits& exits);

  // These bail out unless the array is one, and the index an int in bounds.
  TypedValue length(const TypedValue& array);
  // elements: the types of the elements, see TypeFlow::State; wanted: the types that the element is
  // assumed to have.
  TypedValue load(const TypedValue& array, const TypedValue& index, TypeSet elements,
                  TypeSet wanted);
  void store(const TypedValue& array, const TypedValue& index, const TypedValue& value,
             TypeSet elements);
  // The guard `(array is TYPE[])`: bails out where it does not hold, or the elements are boxed.
  void guard_elements(const TypedValue& array, Tag type);
  // i64: what sampled code reports of the array (profiler/sampled_code.h). Bails out unless it is
  // one.
  llvm::Value* reported_storage(const TypedValue& array);
  // Stores among the elements at `data`. Preconditions: the value fits the storage; index in
  // bounds.
  void store_element(llvm::Value* data, llvm::Value* index, const TypedValue& value,
                     Storage storage);

private:
  llvm::Value* address(const TypedValue& array);
  llvm::Value* field(llvm::Value* array, Memory which);
  // i1: the index is less than the limit.
  llvm::Value* in_bounds(llvm::Value* index, llvm::Value* limit);
  void mark_element(Storage storage);
  llvm::Value* has_storage(llvm::Value* found, Storage storage);
  llvm::Value* loads_as(llvm::Value* found, Storage storage);
  llvm::Value* data_in(llvm::Value* array, llvm::Value* index, Storage storage,
                       llvm::BasicBlock* other);
  llvm::Value* element_address(llvm::Value* data, llvm::Value* index, Storage storage);
  TypedValue load_element(llvm::Value* data, llvm::Value* index, Storage storage);
  TypedValue load_by_storage(const TypedValue& array, const TypedValue& index);
  llvm::Value* call_load(const TypedValue& array, const TypedValue& index); // not checked
  TypedValue load_as(const TypedValue& array, const TypedValue& index, Tag wanted);
  void store_into(llvm::Value* array, llvm::Value* index, const TypedValue& value, Storage storage,
                  llvm::BasicBlock* slow, llvm::BasicBlock* done);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
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

  // watched_value() of the current instruction; empty where no watchpoints are set.
  std::optional<Value> assumed(const resolved::Expr& e) const;
  // The element, by a watchpoint for this value unless the host has none.
  TypedValue load(const resolved::Expr& e, Value assumed, TypeSet wanted);

private:
  TypedValue load(const resolved::Expr& e, TypeSet wanted);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  Arrays& arrays_;
};

} // namespace sourir::native
