#include "native/llvm_lowering/allocation.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr TypeSet kWithStorage = kNumbers | TypeSet{Kind::Bool, Kind::Nil};

// As Heap::allocate decides it; empty: it depends on the values.
std::optional<Storage> storage_of(const std::vector<TypedValue>& elements) {
  TypeSet all;
  for (const TypedValue& e : elements) all |= e.types;
  if (only(all, Tag::Nil)) return Storage::Empty;
  if (only(all, Tag::Int)) return Storage::Int;
  if (only(all, Tag::Float)) return Storage::Float;
  if (only(all, Tag::Bool)) return Storage::Bool;
  const TypeSet first = elements.front().types;
  const auto differs = [&](const TypedValue& e) {
    return !e.types.intersects(kWithStorage) || !e.types.intersects(first);
  };
  if (std::ranges::any_of(elements, differs)) return Storage::Mixed;
  return {};
}

} // namespace

Allocation::Allocation(Emitter& emitter, Exits& exits, Arrays& arrays)
    : e_(emitter), b_(emitter.ir), exits_(exits), arrays_(arrays) {}

bool Allocation::fits_inline(std::uint64_t length) const {
  const bool small = length != 0 && length <= e_.module.host.heap.most_inside;
  return small && e_.module.options.level > 0;
}

TypedValue Allocation::array_of(const std::vector<TypedValue>& elements) {
  Join join(b_, e_.block("made"));
  llvm::BasicBlock* slow = e_.block("slow_make");
  const std::size_t n = elements.size();
  const std::optional<Storage> storage = fits_inline(n) ? storage_of(elements) : std::nullopt;
  if (storage)
    join.arrive(inline_array(*storage, elements, slow));
  else
    b_.CreateBr(slow);
  b_.SetInsertPoint(slow);
  llvm::Value* made = e_.call_runtime_with("rt_allocate_of", {nullptr, e_.number(n)}, elements);
  join.arrive(exits_.checked(made, type_set(Tag::Array)));
  return join.finish();
}

TypedValue Allocation::array_of_nils(const TypedValue& length) {
  Join join(b_, e_.block("made"));
  llvm::BasicBlock* slow = e_.block("slow_make");
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(length.bits);
  const std::uint64_t n = known == nullptr ? 0 : known->getZExtValue();
  if (only(length.types, Tag::Int) && fits_inline(n))
    join.arrive(inline_array(Storage::Empty, std::vector(n, e_.constant(Value())), slow));
  else
    b_.CreateBr(slow);
  b_.SetInsertPoint(slow);
  llvm::Value* made = e_.call_runtime("rt_allocate", {length.bits, length.tag});
  join.arrive(exits_.checked(made, type_set(Tag::Array)));
  return join.finish();
}

// To `slow` where the list is empty or the heap may be full.
TypedValue Allocation::inline_array(Storage storage, const std::vector<TypedValue>& elements,
                                    llvm::BasicBlock* slow) {
  const std::uint64_t n = elements.size(), size = counted_size(n);
  const FreeLists& heap = e_.module.host.heap;
  llvm::Value *list = e_.pointer(heap.lists + n), *room_at = e_.pointer(heap.room);
  llvm::Value* array = e_.load(e_.ptr, list, Memory::Free);
  e_.unless(b_.CreateIsNotNull(array), slow);
  llvm::Value* room = e_.load(e_.i64, room_at, Memory::Free);
  e_.unless(b_.CreateICmpUGE(room, e_.number(size)), slow);
  e_.store(e_.load(e_.ptr, array, Memory::Data), list, Memory::Free);
  e_.store(b_.CreateSub(room, e_.number(size)), room_at, Memory::Free);
  llvm::Value* counter = e_.pointer(heap.allocated);
  e_.store(b_.CreateAdd(e_.load(e_.i64, counter, Memory::Free), e_.number(1)), counter,
           Memory::Free);
  llvm::Value* data = e_.offset(array, sizeof(Array));
  e_.store(data, array, Memory::Data);
  e_.store(e_.number(state_inside(storage)), e_.offset(array, offsetof(Array, storage)),
           Memory::Storage);
  if (storage != Storage::Empty) {
    e_.store(e_.number(n), e_.offset(array, offsetof(Array, filled)), Memory::Filled);
    for (std::uint64_t i = 0; i < n; ++i)
      arrays_.store_element(data, e_.number(i), elements[i], storage);
  }
  return {b_.CreatePtrToInt(array, e_.i64), e_.tag(Tag::Array), type_set(Tag::Array)};
}

} // namespace sourir::native
