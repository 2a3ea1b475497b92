#include "native/llvm_lowering/join.h"

#include "native/runtime/array.h"
#include "sourir/analysis/mutant.h"

#include <llvm/IR/IRBuilder.h>

#include <bit>

namespace sourir::native {

namespace {

std::uint64_t code_of(Storage storage) { return static_cast<std::uint64_t>(storage); }

TypeSet kinds_in(Storage storage) {
  if (storage == Storage::Int) return type_set(Tag::Int);
  if (storage == Storage::Float) return type_set(Tag::Float);
  return storage == Storage::Bool ? type_set(Tag::Bool) : kAnyType;
}

constexpr StorageSet bit_of(Storage storage) {
  return static_cast<StorageSet>(1U << static_cast<unsigned>(storage));
}

// The one storage in the set besides Empty; Empty if there is none or several.
Storage one_of(StorageSet storages) {
  const auto others = static_cast<StorageSet>(storages & ~bit_of(Storage::Empty));
  return std::popcount(others) == 1 ? static_cast<Storage>(std::countr_zero(others))
                                    : Storage::Empty;
}

} // namespace

llvm::Value* FunctionLowering::array_pointer(const Typed& array) {
  return b_.CreateIntToPtr(array.bits, ptr_);
}

llvm::Value* FunctionLowering::field(llvm::Value* array, Memory which) {
  switch (which) {
  case Memory::Data: return load_from(ptr_, array, which);
  case Memory::Filled:
    return load_from(i64_, b_.CreateConstGEP1_64(i8_, array, offsetof(Array, filled)), which);
  case Memory::Length:
    return load_from(i64_, b_.CreateConstGEP1_64(i8_, array, offsetof(Array, length)), which);
  default:
    return load_from(i8_, b_.CreateConstGEP1_64(i8_, array, offsetof(Array, storage)), which);
  }
}

Typed FunctionLowering::length(const Typed& array) {
  require(array, Tag::Array);
  return integer(field(array_pointer(array), Memory::Length));
}

llvm::Value* FunctionLowering::element_pointer(llvm::Value* data, llvm::Value* index,
                                               Storage storage) {
  if (storage == Storage::Bool) return b_.CreateGEP(i8_, data, index);
  if (storage != Storage::Mixed) return b_.CreateGEP(i64_, data, index);
  return b_.CreateGEP(llvm::ArrayType::get(i64_, 2), data, index);
}

Typed FunctionLowering::load_element(llvm::Value* data, llvm::Value* index, Storage storage) {
  llvm::Value* p = element_pointer(data, index, storage);
  if (storage == Storage::Int) return integer(load_from(i64_, p, Memory::Ints));
  if (storage == Storage::Float) return floating(load_from(double_, p, Memory::Floats));
  if (storage == Storage::Bool)
    return {b_.CreateZExt(load_from(i8_, p, Memory::Bools), i64_),
            number(static_cast<std::uint64_t>(mutant(102) ? Tag::Int : Tag::Bool)),
            type_set(Tag::Bool)};
  llvm::Value* bits = load_from(i64_, p, Memory::Bits);
  llvm::Value* tag = load_from(i8_, b_.CreateConstGEP1_64(i8_, p, 8), Memory::Tags);
  return {bits, b_.CreateZExt(tag, i64_), kAnyType};
}

// That elements of an array whose storage was found to be `found` can be loaded as of this one.
llvm::Value* FunctionLowering::loads_as(llvm::Value* found, Storage storage) {
  llvm::Value* code = llvm::ConstantInt::get(i8_, code_of(storage));
  return storage == Storage::Mixed ? b_.CreateICmpUGE(found, code) : b_.CreateICmpEQ(found, code);
}

// Where the elements of an array are, which fails unless it is of this storage. What is accessed
// at an index in the program text is likely to be small: its elements lie behind the header.
llvm::Value* FunctionLowering::data_in(llvm::Value* array, llvm::Value* index, Storage storage) {
  llvm::Value* state = b_.CreateConstGEP1_64(i8_, array, offsetof(Array, storage));
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (known == nullptr || known->getZExtValue() >= kMostInside) {
    unless(loads_as(load_from(i8_, state, Memory::Storage), storage), failure());
    return field(array, Memory::Data);
  }
  llvm::Value* both = load_from(b_.getInt16Ty(), state, Memory::Storage);
  llvm::BasicBlock *elsewhere = block("elsewhere"), *found = block("found");
  llvm::Value* inside = b_.CreateConstGEP1_64(i8_, array, sizeof(Array));
  llvm::BasicBlock* here = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateICmpEQ(both, b_.getInt16(state_inside(storage))), found, elsewhere,
                  m_.unlikely());
  b_.SetInsertPoint(elsewhere);
  unless(loads_as(b_.CreateTrunc(both, i8_), storage), failure());
  llvm::Value* far = field(array, Memory::Data);
  llvm::BasicBlock* from = b_.GetInsertBlock();
  b_.CreateBr(found);
  b_.SetInsertPoint(found);
  llvm::PHINode* data = b_.CreatePHI(ptr_, 2);
  data->addIncoming(inside, here);
  data->addIncoming(far, from);
  return data;
}

// Feedback that has seen one storage only is believed: where no element was nil, it is looked at
// first, so that the fields of the header are loaded before loops.
Typed FunctionLowering::load(const Typed& array, const Typed& index, TypeSet believed) {
  require(array, Tag::Array);
  require(index, Tag::Int);
  llvm::Value* p = array_pointer(array);
  const StorageSet seen = kinds_.storages(pc_);
  const Storage expected = one_of(seen);
  const auto is_storage = [&](Storage s) {
    return b_.CreateICmpEQ(field(p, Memory::Storage), llvm::ConstantInt::get(i8_, code_of(s)));
  };
  const bool nils = may(believed, Tag::Nil) && seen != bit_of(Storage::Mixed);
  llvm::Value* data = nullptr;
  if (expected != Storage::Empty && !nils) data = data_in(p, index.bits, expected);
  llvm::BasicBlock* rest = nils ? block("rest") : failure();
  unless(b_.CreateICmpULT(index.bits, field(p, Memory::Filled)), rest);
  if (expected != Storage::Empty && nils) data = data_in(p, index.bits, expected);
  if (data == nullptr) data = field(p, Memory::Data);
  Join join(b_, block("loaded"));
  for (const Storage s : {Storage::Int, Storage::Float, Storage::Bool}) {
    if (expected != Storage::Empty) break;
    llvm::BasicBlock *here = block("stored"), *others = block("others");
    b_.CreateCondBr(is_storage(s), here, others);
    b_.SetInsertPoint(here);
    join.arrive(load_element(data, index.bits, s));
    b_.SetInsertPoint(others);
  }
  // What has filled elements is not empty.
  join.arrive(
      load_element(data, index.bits, expected == Storage::Empty ? Storage::Mixed : expected));
  if (nils) {
    b_.SetInsertPoint(rest);
    unless(b_.CreateICmpULT(index.bits, field(p, Memory::Length)), failure());
    join.arrive(constant(Value()));
  }
  return join.finish();
}

void FunctionLowering::store(const Typed& array, const Typed& index, const Typed& value) {
  require(array, Tag::Array);
  require(index, Tag::Int);
  llvm::Value* p = array_pointer(array);
  llvm::Value* storage = field(p, Memory::Storage);
  const StorageSet seen = kinds_.storages(pc_);
  const Storage expected = one_of(seen);
  // What was never seen is left to the baseline: no call in a loop forgets the header then.
  const TypeSet values = kinds_.believed(pc_, value.kinds);
  const bool others_fail = expected != Storage::Empty && (seen & bit_of(Storage::Empty)) == 0 &&
                           values.within(kinds_in(expected));
  llvm::BasicBlock* slow = others_fail ? failure() : block("slow_store");
  llvm::BasicBlock* done = block("stored");
  for (const Storage s : {Storage::Int, Storage::Float, Storage::Bool, Storage::Mixed}) {
    if (!value.kinds.intersects(kinds_in(s))) continue;
    if (expected != Storage::Empty && expected != s) continue;
    llvm::BasicBlock *here = block("fits"), *others = block("others");
    b_.CreateCondBr(b_.CreateICmpEQ(storage, llvm::ConstantInt::get(i8_, code_of(s))), here,
                    others);
    b_.SetInsertPoint(here);
    store_into(p, index.bits, value, s, slow, done);
    b_.SetInsertPoint(others);
  }
  b_.CreateBr(slow);
  if (!others_fail) {
    b_.SetInsertPoint(slow);
    slow_store(array, index, value);
    b_.CreateBr(done);
  }
  b_.SetInsertPoint(done);
}

// Into an array of this storage, also just behind what is filled.
void FunctionLowering::store_into(llvm::Value* array, llvm::Value* index, const Typed& value,
                                  Storage storage, llvm::BasicBlock* slow, llvm::BasicBlock* done) {
  if (storage != Storage::Mixed) unless(is(value, only_tag(kinds_in(storage))), slow);
  llvm::Value* filled = field(array, Memory::Filled);
  llvm::BasicBlock *inside = block("inside"), *outside = block("outside");
  b_.CreateCondBr(b_.CreateICmpULT(index, filled), inside, outside);
  b_.SetInsertPoint(inside);
  store_element(field(array, Memory::Data), index, value, storage);
  b_.CreateBr(done);
  b_.SetInsertPoint(outside);
  if (storage == Storage::Mixed) {
    b_.CreateBr(slow);
    return;
  }
  unless(b_.CreateICmpEQ(index, filled), slow);
  unless(b_.CreateICmpULT(index, field(array, Memory::Length)), slow);
  store_element(field(array, Memory::Data), index, value, storage);
  store_to(b_.CreateAdd(filled, number(1)),
           b_.CreateConstGEP1_64(i8_, array, offsetof(Array, filled)), Memory::Filled);
  b_.CreateBr(done);
}

void FunctionLowering::store_element(llvm::Value* data, llvm::Value* index, const Typed& value,
                                     Storage storage) {
  llvm::Value* p = element_pointer(data, index, storage);
  switch (storage) {
  case Storage::Int: return store_to(value.bits, p, Memory::Ints);
  case Storage::Float: return store_to(b_.CreateBitCast(value.bits, double_), p, Memory::Floats);
  case Storage::Bool: return store_to(b_.CreateTrunc(value.bits, i8_), p, Memory::Bools);
  default:
    store_to(value.bits, p, Memory::Bits);
    store_to(b_.CreateTrunc(value.tag, i8_), b_.CreateConstGEP1_64(i8_, p, 8), Memory::Tags);
  }
}

void FunctionLowering::slow_store(const Typed& array, const Typed& index, const Typed& value) {
  checked(call_with("rt_store", {array.bits, array.tag}, {index, value}), kAnyType);
}

} // namespace sourir::native
