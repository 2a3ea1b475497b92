// Making arrays: small ones in place, from the free lists of the heap.
#include "native/llvm_lowering/join.h"

#include "native/runtime/array.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr TypeSet kWithStorage = kNumbers | TypeSet{Kind::Bool, Kind::Nil};

// As Heap::allocate decides it; empty: it depends on the values.
std::optional<Storage> storage_of(const std::vector<Typed>& elements) {
  TypeSet all;
  for (const Typed& e : elements) all |= e.kinds;
  if (only(all, Tag::Nil)) return Storage::Empty;
  if (only(all, Tag::Int)) return Storage::Int;
  if (only(all, Tag::Float)) return Storage::Float;
  if (only(all, Tag::Bool)) return Storage::Bool;
  const TypeSet first = elements.front().kinds;
  const auto differs = [&](const Typed& e) {
    return !e.kinds.intersects(kWithStorage) || !e.kinds.intersects(first);
  };
  if (std::ranges::any_of(elements, differs)) return Storage::Mixed;
  return {};
}

} // namespace

void FunctionLowering::array_literal(const resolved::ArrayDef& i) {
  std::vector<Typed> elements;
  for (const resolved::Expr& e : i.elements) elements.push_back(evaluate(e));
  Join join(b_, block("made"));
  llvm::BasicBlock* slow = block("slow_make");
  const std::size_t n = elements.size();
  const std::optional<Storage> storage = n == 0 ? std::nullopt : storage_of(elements);
  if (storage && n <= m_.host.heap.most_inside && m_.options.level > 0)
    join.arrive(fresh_array(*storage, elements, slow));
  else
    b_.CreateBr(slow);
  b_.SetInsertPoint(slow);
  llvm::Value* made = call_with("rt_allocate_of", {nullptr, number(n)}, elements);
  join.arrive(checked(made, type_set(Tag::Array)));
  bind(i.x, join.finish());
}

Typed FunctionLowering::array_of_nils(const Typed& length) {
  Join join(b_, block("made"));
  llvm::BasicBlock* slow = block("slow_make");
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(length.bits);
  const std::uint64_t n = known == nullptr ? 0 : known->getZExtValue();
  if (only(length.kinds, Tag::Int) && n != 0 && n <= m_.host.heap.most_inside &&
      m_.options.level > 0) {
    join.arrive(fresh_array(Storage::Empty, std::vector(n, constant(Value())), slow));
  } else {
    b_.CreateBr(slow);
  }
  b_.SetInsertPoint(slow);
  join.arrive(
      checked(call_runtime("rt_allocate", {length.bits, length.tag}), type_set(Tag::Array)));
  return join.finish();
}

// To `slow` where the list is empty or the heap may be full.
Typed FunctionLowering::fresh_array(Storage storage, const std::vector<Typed>& elements,
                                    llvm::BasicBlock* slow) {
  const std::uint64_t n = elements.size(), size = counted_size(n);
  const FreeLists& heap = m_.host.heap;
  llvm::Value *list = pointer(heap.lists + n), *room_at = pointer(heap.room);
  llvm::Value* array = load_from(ptr_, list, Memory::Free);
  unless(b_.CreateIsNotNull(array), slow);
  llvm::Value* room = load_from(i64_, room_at, Memory::Free);
  unless(b_.CreateICmpUGE(room, number(size)), slow);
  store_to(load_from(ptr_, array, Memory::Data), list, Memory::Free);
  store_to(b_.CreateSub(room, number(size)), room_at, Memory::Free);
  llvm::Value* counter = pointer(heap.allocated);
  store_to(b_.CreateAdd(load_from(i64_, counter, Memory::Free), number(1)), counter, Memory::Free);
  llvm::Value* data = b_.CreateConstGEP1_64(i8_, array, sizeof(Array));
  const auto header = [&](std::size_t offset) { return b_.CreateConstGEP1_64(i8_, array, offset); };
  store_to(data, array, Memory::Data);
  store_to(number(state_inside(storage)), header(offsetof(Array, storage)), Memory::Storage);
  if (storage != Storage::Empty) {
    store_to(number(n), header(offsetof(Array, filled)), Memory::Filled);
    for (std::uint64_t i = 0; i < n; ++i) store_element(data, number(i), elements[i], storage);
  }
  return {b_.CreatePtrToInt(array, i64_), number(static_cast<std::uint64_t>(Tag::Array)),
          type_set(Tag::Array)};
}

} // namespace sourir::native
