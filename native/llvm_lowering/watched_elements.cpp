// Elements of arrays that are not looked at (native/runtime/watch.h).
#include "native/llvm_lowering/join.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr Pc kFar = 16; // instructions between an access and the guard that it is for

bool may_be_watched(Value v) { return !v.is(Tag::Float); }

// The literal that one of the guards needs the variable to be.
std::optional<Value> guarded_literal(const resolved::Assume& assume, Slot x) {
  for (const resolved::Expr& e : assume.guards) {
    if (e.shape != resolved::Shape::Binary || e.op != static_cast<int>(BinaryOp::Eq)) continue;
    const bool left = e.a.slot == x && e.b.slot == resolved::kLiteral;
    const bool right = e.b.slot == x && e.a.slot == resolved::kLiteral;
    if (left || right) return left ? e.b.literal : e.a.literal;
  }
  return {};
}

const Slot* assigned_slot(const resolved::Instr& i) {
  if (const auto* const decl = std::get_if<resolved::Decl>(&i)) return &decl->x;
  const auto* const assign = std::get_if<resolved::Assign>(&i);
  return assign != nullptr ? &assign->x : nullptr;
}

bool goes_elsewhere(const resolved::Instr& i) {
  return std::holds_alternative<resolved::Branch>(i) || std::holds_alternative<resolved::Goto>(i) ||
         std::holds_alternative<resolved::Return>(i) || std::holds_alternative<resolved::Stop>(i);
}

} // namespace

// The value that a guard counts on: `a[0]` itself, or `x = a[0]` and behind that `x == literal`.
std::optional<Value> FunctionLowering::relied_on(const resolved::Expr& e) const {
  if (m_.host.watch == nullptr || frame_ != nullptr) return {};
  if (e.a.slot == resolved::kLiteral || e.b.slot != resolved::kLiteral) return {};
  if (!e.b.literal.is(Tag::Int) || e.b.literal.as_int() < 0) return {};
  if (std::holds_alternative<resolved::Assume>(code_.instrs[pc_])) return Value(true);
  const Slot* const x = assigned_slot(code_.instrs[pc_]);
  if (x == nullptr) return {};
  for (Pc pc = pc_ + 1; pc < std::min<std::size_t>(code_.instrs.size(), pc_ + kFar); ++pc) {
    const resolved::Instr& i = code_.instrs[pc];
    if (const auto* const assume = std::get_if<resolved::Assume>(&i))
      if (const auto value = guarded_literal(*assume, *x); value && may_be_watched(*value))
        return value;
    const Slot* const again = assigned_slot(i);
    if (goes_elsewhere(i) || (again != nullptr && *again == *x)) return {};
  }
  return {};
}

Typed FunctionLowering::watched_load(const resolved::Expr& e, Value value, TypeSet believed) {
  const Typed array = operand(e.a);
  Watch* const watch = m_.host.watch(m_.host.machine, e.b.literal.bits(), value);
  if (watch == nullptr) return load(array, operand(e.b), believed);
  require(array, Tag::Array);
  const auto part = [&](std::size_t offset) {
    return load_from(i64_, b_.CreateConstGEP1_64(i8_, pointer(watch), offset), Memory::Watches);
  };
  Join join(b_, block("element"));
  llvm::BasicBlock *watched = block("watched"), *look = block("look"), *set = block("set"),
                   *on = block("on");
  b_.CreateCondBr(b_.CreateICmpEQ(part(offsetof(Watch, array)), array.bits), watched, look,
                  m_.unlikely());
  b_.SetInsertPoint(watched);
  join.arrive(constant(value));
  b_.SetInsertPoint(look);
  const Typed found = load(array, operand(e.b), believed);
  const Typed wanted = constant(value);
  llvm::Value* holds = b_.CreateAnd(b_.CreateICmpEQ(found.bits, wanted.bits),
                                    b_.CreateICmpEQ(found.tag, wanted.tag));
  llvm::Value* sets = b_.CreateICmpNE(part(offsetof(Watch, left)), number(0));
  b_.CreateCondBr(b_.CreateAnd(holds, sets), set, on);
  b_.SetInsertPoint(set);
  call_runtime("rt_watch", {pointer(watch), array.bits});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  join.arrive(found);
  return join.finish();
}

} // namespace sourir::native
