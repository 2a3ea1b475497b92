#include "native/llvm_lowering/watched_elements.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr Pc kMostDistance = 16; // in instructions, from a load to the guard that it is for

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

bool leaves_block(const resolved::Instr& i) {
  return std::holds_alternative<resolved::Branch>(i) || std::holds_alternative<resolved::Goto>(i) ||
         std::holds_alternative<resolved::Return>(i) || std::holds_alternative<resolved::Stop>(i);
}

} // namespace

WatchedElements::WatchedElements(Emitter& emitter, Variables& variables, Exits& exits,
                                 Arrays& arrays)
    : e_(emitter), b_(emitter.ir), variables_(variables), exits_(exits), arrays_(arrays) {}

std::optional<Value> WatchedElements::assumed(const resolved::Expr& e) const {
  if (e_.module.host.watch == nullptr || variables_.memory() != nullptr) return {};
  if (e.a.slot == resolved::kLiteral || e.b.slot != resolved::kLiteral) return {};
  if (!e.b.literal.is(Tag::Int) || e.b.literal.as_int() < 0) return {};
  const std::vector<resolved::Instr>& instrs = e_.code.instrs;
  if (std::holds_alternative<resolved::Assume>(instrs[e_.pc()])) return Value(true);
  const Slot* const x = assigned_slot(instrs[e_.pc()]);
  if (x == nullptr) return {};
  const auto end = std::min<std::size_t>(instrs.size(), e_.pc() + kMostDistance);
  for (Pc pc = e_.pc() + 1; pc < end; ++pc) {
    const resolved::Instr& i = instrs[pc];
    if (const auto* const assume = std::get_if<resolved::Assume>(&i))
      if (const auto value = guarded_literal(*assume, *x); value && may_be_watched(*value))
        return value;
    const Slot* const again = assigned_slot(i);
    if (leaves_block(i) || (again != nullptr && *again == *x)) return {};
  }
  return {};
}

TypedValue WatchedElements::load(const resolved::Expr& e, Value assumed, TypeSet speculated) {
  const TypedValue array = variables_.operand(e.a);
  const CompilerHost& host = e_.module.host;
  Watch* const watch = host.watch(host.machine, e.b.literal.bits(), assumed);
  if (watch == nullptr) return arrays_.load(array, variables_.operand(e.b), speculated);
  exits_.require(array, Tag::Array);
  const auto part = [&](std::size_t offset) {
    return e_.load(e_.i64, e_.offset(e_.pointer(watch), offset), Memory::Watches);
  };
  Join join(b_, e_.block("element"));
  llvm::BasicBlock *watched = e_.block("watched"), *look = e_.block("look"), *set = e_.block("set"),
                   *on = e_.block("on");
  e_.branch_likely(b_.CreateICmpEQ(part(offsetof(Watch, array)), array.bits), watched, look);
  b_.SetInsertPoint(watched);
  join.arrive(e_.constant(assumed));
  b_.SetInsertPoint(look);
  const TypedValue found = arrays_.load(array, variables_.operand(e.b), speculated);
  const TypedValue wanted = e_.constant(assumed);
  llvm::Value* holds = b_.CreateAnd(b_.CreateICmpEQ(found.bits, wanted.bits),
                                    b_.CreateICmpEQ(found.tag, wanted.tag));
  llvm::Value* sets = b_.CreateICmpNE(part(offsetof(Watch, left)), e_.number(0));
  b_.CreateCondBr(b_.CreateAnd(holds, sets), set, on);
  b_.SetInsertPoint(set);
  e_.call_runtime("rt_watch", {e_.pointer(watch), array.bits});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
  join.arrive(found);
  return join.finish();
}

} // namespace sourir::native
