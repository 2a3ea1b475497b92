#include "native/llvm_lowering/arrays.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <bit>

namespace sourir::native {

using profiler::Event;

namespace {

std::uint64_t code_of(Storage storage) { return static_cast<std::uint64_t>(storage); }

TypeSet types_in(Storage storage) {
  if (storage == Storage::Int) return type_set(Tag::Int);
  if (storage == Storage::Float) return type_set(Tag::Float);
  return storage == Storage::Bool ? type_set(Tag::Bool) : kAnyType;
}

// Where no guard has tested the elements of an array, they are likely to be boxed. With a literal
// index that is the one storage that is accessed inline: the array is a record,
bool is_record(const TypedValue& index) { return llvm::isa<llvm::ConstantInt>(index.bits); }

// or, with the index 0, a variable that functions share (Heap::change_type).
bool may_be_variable(const TypedValue& index) {
  const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(index.bits);
  return known != nullptr && known->isZero();
}

// Of an array that has an element of this type there, the likely one first. Others need a call.
std::vector<Storage> likely_storages(const TypedValue& index, Tag element) {
  const Storage unboxed = full_storage(element);
  if (unboxed == Storage::Mixed || (is_record(index) && !may_be_variable(index)))
    return {Storage::Mixed};
  if (is_record(index)) return {Storage::Mixed, unboxed};
  return {unboxed, Storage::Mixed};
}

} // namespace

Arrays::Arrays(Emitter& emitter, Exits& exits) : e_(emitter), b_(emitter.ir), exits_(exits) {}

llvm::Value* Arrays::address(const TypedValue& array) {
  return b_.CreateIntToPtr(array.bits, e_.ptr);
}

llvm::Value* Arrays::field(llvm::Value* array, Memory which) {
  switch (which) {
  case Memory::Data: return e_.load(e_.ptr, array, which);
  case Memory::Filled: return e_.load(e_.i64, e_.offset(array, offsetof(Array, filled)), which);
  case Memory::Length: return e_.load(e_.i64, e_.offset(array, offsetof(Array, length)), which);
  default: return e_.load(e_.i8, e_.offset(array, offsetof(Array, storage)), which);
  }
}

TypedValue Arrays::length(const TypedValue& array) {
  exits_.require(array, Tag::Array);
  return e_.integer(field(address(array), Memory::Length));
}

llvm::Value* Arrays::element_address(llvm::Value* data, llvm::Value* index, Storage storage) {
  if (storage == Storage::Bool) return b_.CreateGEP(e_.i8, data, index);
  if (storage != Storage::Mixed) return b_.CreateGEP(e_.i64, data, index);
  return b_.CreateGEP(llvm::ArrayType::get(e_.i64, 2), data, index);
}

TypedValue Arrays::load_element(llvm::Value* data, llvm::Value* index, Storage storage) {
  mark_element(storage);
  llvm::Value* p = element_address(data, index, storage);
  if (storage == Storage::Int) return e_.integer(e_.load(e_.i64, p, Memory::Ints));
  if (storage == Storage::Float) return e_.floating(e_.load(e_.f64, p, Memory::Floats));
  if (storage == Storage::Bool)
    return {b_.CreateZExt(e_.load(e_.i8, p, Memory::Bools), e_.i64), e_.tag(Tag::Bool),
            type_set(Tag::Bool)};
  llvm::Value* bits = e_.load(e_.i64, p, Memory::Bits);
  llvm::Value* tag = e_.load(e_.i8, e_.offset(p, 8), Memory::Tags);
  return {bits, b_.CreateZExt(tag, e_.i64), kAnyType};
}

llvm::Value* Arrays::in_bounds(llvm::Value* index, llvm::Value* limit) {
  e_.lowered(Event::BoundsCheck);
  return b_.CreateICmpULT(index, limit);
}

void Arrays::mark_element(Storage storage) {
  e_.lowered(storage == Storage::Mixed ? Event::ElementBoxed : Event::ElementUnboxed);
}

llvm::Value* Arrays::has_storage(llvm::Value* found, Storage storage) {
  e_.lowered(Event::StorageTest);
  return b_.CreateICmpEQ(found, llvm::ConstantInt::get(e_.i8, code_of(storage)));
}

// Whether elements of an array of storage `found` can be loaded as those of this storage.
llvm::Value* Arrays::loads_as(llvm::Value* found, Storage storage) {
  if (storage != Storage::Mixed) return has_storage(found, storage);
  e_.lowered(Event::StorageTest);
  return b_.CreateICmpUGE(found, llvm::ConstantInt::get(e_.i8, code_of(storage)));
}

// The address of the elements of an array of this storage; any other goes to `other`. An access
// with a literal index is likely to be to a small array: its elements follow the header.
llvm::Value* Arrays::data_in(llvm::Value* array, llvm::Value* index, Storage storage,
                             llvm::BasicBlock* other) {
  llvm::Value* state = e_.offset(array, offsetof(Array, storage));
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (known == nullptr || known->getZExtValue() >= kMaxInlineElements) {
    e_.unless(loads_as(e_.load(e_.i8, state, Memory::Storage), storage), other);
    return field(array, Memory::Data);
  }
  llvm::Value* both = e_.load(b_.getInt16Ty(), state, Memory::Storage);
  llvm::BasicBlock *elsewhere = e_.block("elsewhere"), *found = e_.block("found");
  llvm::Value* inside = e_.offset(array, sizeof(Array));
  llvm::BasicBlock* here = b_.GetInsertBlock();
  e_.lowered(Event::StorageTest);
  e_.branch_likely(b_.CreateICmpEQ(both, b_.getInt16(state_inside(storage))), found, elsewhere);
  b_.SetInsertPoint(elsewhere);
  e_.unless(loads_as(b_.CreateTrunc(both, e_.i8), storage), other);
  llvm::Value* far = field(array, Memory::Data);
  llvm::BasicBlock* from = b_.GetInsertBlock();
  b_.CreateBr(found);
  b_.SetInsertPoint(found);
  llvm::PHINode* data = b_.CreatePHI(e_.ptr, 2);
  data->addIncoming(inside, here);
  data->addIncoming(far, from);
  return data;
}

TypedValue Arrays::load(const TypedValue& array, const TypedValue& index, TypeSet elements,
                        TypeSet wanted) {
  exits_.require(array, Tag::Array);
  exits_.require(index, Tag::Int);
  if (const std::optional<Tag> type = single(elements)) {
    llvm::Value* p = address(array);
    e_.unless(in_bounds(index.bits, field(p, Memory::Filled)), exits_.bailout());
    return load_element(field(p, Memory::Data), index.bits, full_storage(*type));
  }
  if (const std::optional<Tag> type = single(wanted)) return load_as(array, index, *type);
  return load_by_storage(array, index);
}

// An element of this type: of an array of boxed values, or from the storage for the type, or else
// by a call. One of another type bails out. The storage is tested first, so that LLVM hoists the
// loads of the header out of loops.
TypedValue Arrays::load_as(const TypedValue& array, const TypedValue& index, Tag wanted) {
  llvm::Value* p = address(array);
  llvm::BasicBlock* other = e_.block("other_storage");
  Join join(b_, e_.block("loaded"));
  for (const Storage storage : likely_storages(index, wanted)) {
    llvm::BasicBlock* next = e_.block("next_storage");
    llvm::Value* data = data_in(p, index.bits, storage, next);
    e_.unless(in_bounds(index.bits, field(p, Memory::Filled)), other);
    const TypedValue v = load_element(data, index.bits, storage);
    if (!only(v.types, wanted)) e_.unless(e_.is(v, wanted), exits_.bailout());
    join.arrive({v.bits, e_.tag(wanted), type_set(wanted)});
    b_.SetInsertPoint(next);
  }
  b_.CreateBr(other);
  b_.SetInsertPoint(other);
  join.arrive(exits_.checked_as(call_load(array, index), wanted));
  return join.finish();
}

llvm::Value* Arrays::call_load(const TypedValue& array, const TypedValue& index) {
  e_.lowered(Event::ElementByCall);
  return e_.call_stub("rt_load", {}, {array, index});
}

// An element of any type, by the storage that is found: likely not Bool, and not nil.
TypedValue Arrays::load_by_storage(const TypedValue& array, const TypedValue& index) {
  llvm::Value* p = address(array);
  llvm::BasicBlock* other = e_.block("other_storage");
  Join join(b_, e_.block("loaded"));
  if (is_record(index)) {
    llvm::BasicBlock* unboxed = e_.block("unboxed");
    llvm::Value* data = data_in(p, index.bits, Storage::Mixed, unboxed);
    e_.unless(in_bounds(index.bits, field(p, Memory::Filled)), other);
    join.arrive(load_element(data, index.bits, Storage::Mixed));
    b_.SetInsertPoint(unboxed);
  }
  if (!is_record(index) || may_be_variable(index)) {
    e_.unless(in_bounds(index.bits, field(p, Memory::Filled)), other);
    llvm::Value* data = field(p, Memory::Data);
    for (const Storage s : {Storage::Mixed, Storage::Int, Storage::Float}) {
      if (s == Storage::Mixed && is_record(index)) continue; // see above
      llvm::BasicBlock *here = e_.block("stored"), *others = e_.block("others");
      b_.CreateCondBr(loads_as(field(p, Memory::Storage), s), here, others);
      b_.SetInsertPoint(here);
      join.arrive(load_element(data, index.bits, s));
      b_.SetInsertPoint(others);
    }
  }
  b_.CreateBr(other);
  b_.SetInsertPoint(other);
  join.arrive(exits_.checked(call_load(array, index), kAnyType));
  return join.finish();
}

// A store into an array whose elements have the type of the value, and stay so. Otherwise by the
// storage that is found, or else by a call.
void Arrays::store(const TypedValue& array, const TypedValue& index, const TypedValue& value,
                   TypeSet elements) {
  exits_.require(array, Tag::Array);
  exits_.require(index, Tag::Int);
  llvm::Value* p = address(array);
  if (single(elements) && value.types.within(elements)) {
    e_.unless(in_bounds(index.bits, field(p, Memory::Filled)), exits_.bailout());
    return store_element(field(p, Memory::Data), index.bits, value,
                         full_storage(*single(elements)));
  }
  llvm::BasicBlock *slow = e_.block("slow_store"), *done = e_.block("stored");
  e_.lowered(Event::StorageTest);
  llvm::SwitchInst* by_storage = b_.CreateSwitch(field(p, Memory::Storage), slow);
  for (const Storage s : {Storage::Int, Storage::Float, Storage::Bool, Storage::Mixed}) {
    if (!value.types.intersects(types_in(s))) continue;
    if (s != Storage::Mixed && is_record(index) && !may_be_variable(index)) continue;
    llvm::BasicBlock* here = e_.block("fits");
    by_storage->addCase(b_.getInt8(static_cast<std::uint8_t>(code_of(s))), here);
    b_.SetInsertPoint(here);
    store_into(p, index.bits, value, s, slow, done);
  }
  b_.SetInsertPoint(slow);
  e_.lowered(Event::ElementByCall);
  exits_.checked(e_.call_stub("rt_store", {array.bits, array.tag}, {index, value}), kAnyType);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void Arrays::guard_elements(const TypedValue& array, Tag type) {
  exits_.require(array, Tag::Array);
  llvm::Value* p = address(array);
  e_.unless(has_storage(field(p, Memory::Storage), full_storage(type)), exits_.bailout());
  e_.unless(b_.CreateICmpEQ(field(p, Memory::Filled), field(p, Memory::Length)), exits_.bailout());
}

llvm::Value* Arrays::reported_storage(const TypedValue& array) {
  exits_.require(array, Tag::Array);
  llvm::Value* p = address(array);
  llvm::Value* storage = field(p, Memory::Storage);
  const auto reported = [&](Tag type) {
    return e_.number(std::uint64_t{profiler::kElements} | type_set(type).bits());
  };
  llvm::Value* found = reported(Tag::Nil);
  for (const Tag type : {Tag::Int, Tag::Float, Tag::Bool})
    found = b_.CreateSelect(has_storage(storage, full_storage(type)), reported(type), found);
  llvm::Value* full = b_.CreateICmpEQ(field(p, Memory::Filled), field(p, Memory::Length));
  return b_.CreateSelect(full, found, reported(Tag::Nil));
}

// Into an array of this storage, also directly after the filled part.
void Arrays::store_into(llvm::Value* array, llvm::Value* index, const TypedValue& value,
                        Storage storage, llvm::BasicBlock* slow, llvm::BasicBlock* done) {
  if (storage != Storage::Mixed) e_.unless(e_.is(value, only_tag(types_in(storage))), slow);
  llvm::Value* filled = field(array, Memory::Filled);
  llvm::BasicBlock *inside = e_.block("inside"), *outside = e_.block("outside");
  b_.CreateCondBr(in_bounds(index, filled), inside, outside);
  b_.SetInsertPoint(inside);
  store_element(field(array, Memory::Data), index, value, storage);
  b_.CreateBr(done);
  b_.SetInsertPoint(outside);
  if (storage == Storage::Mixed) {
    b_.CreateBr(slow);
    return;
  }
  e_.unless(b_.CreateICmpEQ(index, filled), slow);
  e_.unless(in_bounds(index, field(array, Memory::Length)), slow);
  store_element(field(array, Memory::Data), index, value, storage);
  e_.store(b_.CreateAdd(filled, e_.number(1)), e_.offset(array, offsetof(Array, filled)),
           Memory::Filled);
  b_.CreateBr(done);
}

void Arrays::store_element(llvm::Value* data, llvm::Value* index, const TypedValue& value,
                           Storage storage) {
  mark_element(storage);
  llvm::Value* p = element_address(data, index, storage);
  switch (storage) {
  case Storage::Int: return e_.store(value.bits, p, Memory::Ints);
  case Storage::Float: return e_.store(e_.as_double(value.bits), p, Memory::Floats);
  case Storage::Bool: return e_.store(b_.CreateTrunc(value.bits, e_.i8), p, Memory::Bools);
  default:
    e_.store(value.bits, p, Memory::Bits);
    e_.store(b_.CreateTrunc(value.tag, e_.i8), e_.offset(p, 8), Memory::Tags);
  }
}

namespace {

constexpr TypeSet kWithStorage = kNumbers | TypeSet{Kind::Bool, Kind::Nil};

// The storage that Heap::allocate would choose; empty: it depends on the values.
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
  e_.lowered(Event::AllocationByCall);
  llvm::Value* made = e_.call_stub("rt_allocate_of", {nullptr, e_.number(n)}, elements);
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
  e_.lowered(Event::AllocationByCall);
  llvm::Value* made = e_.call_runtime("rt_allocate", {length.bits, length.tag});
  join.arrive(exits_.checked(made, type_set(Tag::Array)));
  return join.finish();
}

// Branches to `slow` where the list is empty or the heap may be full.
TypedValue Allocation::inline_array(Storage storage, const std::vector<TypedValue>& elements,
                                    llvm::BasicBlock* slow) {
  const std::uint64_t n = elements.size(), size = counted_size(n);
  const FreeLists& heap = e_.module.host.heap;
  llvm::Value *list = e_.pointer(heap.lists + n), *room_at = e_.pointer(heap.room);
  llvm::Value* array = e_.load(e_.ptr, list, Memory::Free);
  e_.unless(b_.CreateIsNotNull(array), slow);
  llvm::Value* room = e_.load(e_.i64, room_at, Memory::Free);
  e_.unless(b_.CreateICmpUGE(room, e_.number(size)), slow);
  e_.lowered(Event::AllocationInline);
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

WatchpointLoads::WatchpointLoads(Emitter& emitter, Variables& variables, Exits& exits,
                                 Arrays& arrays)
    : e_(emitter), b_(emitter.ir), variables_(variables), exits_(exits), arrays_(arrays) {}

std::optional<Value> WatchpointLoads::assumed(const resolved::Expr& e) const {
  if (e_.module.host.new_watchpoint == nullptr || variables_.memory() != nullptr) return {};
  return watched_value(e_.code, e_.pc(), e);
}

TypedValue WatchpointLoads::load(const resolved::Expr& e, Value assumed, TypeSet wanted) {
  const TypedValue array = variables_.operand(e.a);
  const CompilerHost& host = e_.module.host;
  Watchpoint* const watchpoint = host.new_watchpoint(host.machine, e.b.literal.bits(), assumed);
  if (watchpoint == nullptr) return load(e, wanted);
  exits_.require(array, Tag::Array);
  const auto part = [&](std::size_t offset) {
    return e_.load(e_.i64, e_.offset(e_.pointer(watchpoint), offset), Memory::Watchpoints);
  };
  Join join(b_, e_.block("element"));
  llvm::BasicBlock *assumed_holds = e_.block("assumed"), *check = e_.block("check"),
                   *set = e_.block("set"), *on = e_.block("on");
  e_.branch_likely(b_.CreateICmpEQ(part(offsetof(Watchpoint, array)), array.bits), assumed_holds,
                   check);
  b_.SetInsertPoint(assumed_holds);
  join.arrive(e_.constant(assumed));
  b_.SetInsertPoint(check);
  const TypedValue found = load(e, wanted);
  const TypedValue same = e_.constant(assumed);
  llvm::Value* holds =
      b_.CreateAnd(b_.CreateICmpEQ(found.bits, same.bits), b_.CreateICmpEQ(found.tag, same.tag));
  llvm::Value* sets = b_.CreateICmpNE(part(offsetof(Watchpoint, left)), e_.number(0));
  b_.CreateCondBr(b_.CreateAnd(holds, sets), set, on);
  b_.SetInsertPoint(set);
  e_.call_runtime("rt_set_watchpoint", {e_.pointer(watchpoint), array.bits});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  join.arrive(found);
  return join.finish();
}

TypedValue WatchpointLoads::load(const resolved::Expr& e, TypeSet wanted) {
  const TypeSet elements = TypeFlow::elements(variables_.types().before(e_.pc()), e.a);
  return arrays_.load(variables_.operand(e.a), variables_.operand(e.b), elements, wanted);
}

} // namespace sourir::native
