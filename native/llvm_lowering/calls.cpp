#include "native/llvm_lowering/calls.h"

#include "native/llvm_lowering/dispatch.h"
#include "native/llvm_lowering/line_table.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

using profiler::Event;

Calls::Calls(Emitter& emitter, Variables& variables, Exits& exits, llvm::Function* body)
    : e_(emitter), b_(emitter.ir), variables_(variables), exits_(exits), body_(body) {}

llvm::Value* Calls::cell_of(const TypedValue& callee, std::size_t arguments) {
  exits_.require(callee, Tag::Fun);
  if (!may(callee.types, Tag::Fun)) return e_.pointer(nullptr); // not reachable
  const FunctionCell* cells = e_.module.host.cells;
  if (const auto* id = llvm::dyn_cast<llvm::ConstantInt>(callee.bits)) {
    const FunctionCell& cell = cells[id->getZExtValue()];
    if (cell.arity != arguments) e_.unless(b_.getFalse(), exits_.bailout());
    return e_.pointer(&cell);
  }
  llvm::Value* offset = b_.CreateMul(callee.bits, e_.number(sizeof(FunctionCell)));
  llvm::Value* cell = b_.CreateGEP(e_.i8, e_.pointer(cells), offset);
  // Not offsetof: the type has no standard layout.
  const std::uint64_t at =
      reinterpret_cast<const char*>(&cells->arity) - reinterpret_cast<const char*>(cells);
  llvm::Value* arity = e_.load(b_.getInt32Ty(), e_.offset(cell, at), Memory::Arity);
  e_.unless(b_.CreateICmpEQ(arity, b_.getInt32(static_cast<std::uint32_t>(arguments))),
            exits_.bailout());
  return cell;
}

TypedValue Calls::call(llvm::Value* cell, const TypedValue& callee,
                       const std::vector<TypedValue>& arguments) {
  llvm::Value* depth = b_.CreateSub(variables_.depth(), e_.number(1));
  e_.unless(b_.CreateICmpSGE(depth, e_.number(0)), exits_.bailout());
  exits_.count_fuel(); // after the last bailout, where the baseline counts the call instead
  const Pc region = e_.markers.region_begin();
  // Before the call, which may not return.
  e_.markers.executed_through(b_, e_.pc());
  if (arguments.size() > kMostNativeParameters)
    return call_through_runtime(region, depth, callee, arguments);
  std::vector<llvm::Value*> values{depth};
  for (const TypedValue& a : arguments) values.insert(values.end(), {a.bits, a.tag});
  if (llvm::Function* known = recursive_target(callee)) {
    e_.lowered(Event::CallRecursive);
    return call_native(known, values);
  }
  const DispatchTable::Entry* const version = known_version(callee, arguments);
  llvm::Value* word = version != nullptr ? e_.pointer(&version->code) : cell;
  auto* entry = llvm::cast<llvm::LoadInst>(e_.load(e_.ptr, word, Memory::Entry));
  entry->setAtomic(llvm::AtomicOrdering::Monotonic);
  Join join(b_, e_.block("returned"));
  llvm::BasicBlock* slow = e_.block("slow_call");
  e_.unless(b_.CreateIsNotNull(entry), slow);
  if (version != nullptr) count_call(e_, version->direct_calls);
  e_.lowered(version != nullptr ? Event::CallKnownVersion : Event::CallNative);
  join.arrive(call_native(entry, values));
  b_.SetInsertPoint(slow);
  join.arrive(call_through_runtime(region, depth, callee, arguments));
  return join.finish();
}

TypedValue Calls::call_native(llvm::Value* code, const std::vector<llvm::Value*>& values) {
  e_.set_position(e_.pc(), kCall);
  llvm::CallInst* result = b_.CreateCall(e_.module.entry_type(values.size() / 2), code, values);
  result->addFnAttr(llvm::Attribute::NoMerge); // its position is found by its address
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  return {b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), kAnyType};
}

// The version that the call enters whatever the values of the arguments are. Null: the dispatcher
// finds it, or the function has one version.
const DispatchTable::Entry* Calls::known_version(const TypedValue& callee,
                                                 const std::vector<TypedValue>& arguments) const {
  const auto* id = llvm::dyn_cast<llvm::ConstantInt>(callee.bits);
  if (id == nullptr || !only(callee.types, Tag::Fun)) return nullptr;
  const FunctionCell& f = e_.module.host.cells[id->getZExtValue()];
  if (!f.dispatch || !f.dispatch->in_native_code || f.arity != arguments.size()) return nullptr;
  return ContextTests(e_, arguments).known_version(*f.dispatch);
}

// The target of a recursive call of the version. Null: the callee is, or may be, another function.
llvm::Function* Calls::recursive_target(const TypedValue& callee) const {
  const auto* id = llvm::dyn_cast<llvm::ConstantInt>(callee.bits);
  if (body_ == nullptr || id == nullptr || id->getZExtValue() != e_.code.function.id)
    return nullptr;
  return body_;
}

TypedValue Calls::call_through_runtime(Pc region, llvm::Value* depth, const TypedValue& callee,
                                       const std::vector<TypedValue>& arguments) {
  e_.lowered(Event::CallByRuntime);
  std::vector<TypedValue> values{callee};
  values.insert(values.end(), arguments.begin(), arguments.end());
  e_.set_position(e_.pc(), kCall);
  llvm::Value* result =
      e_.call_stub("rt_call", {depth, nullptr, nullptr, e_.number(arguments.size())}, values);
  if (e_.markers.on()) undo_where_it_fails(region, result);
  return exits_.checked(result, kAnyType);
}

// A bailout that is not that of the region: the interpreter executes the region again.
void Calls::undo_where_it_fails(Pc region, llvm::Value* result) {
  llvm::BasicBlock* const failed = e_.block("call_failed");
  e_.unless(b_.CreateICmpNE(b_.CreateExtractValue(result, 1), e_.number(kNoValue)), failed);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(failed);
  e_.markers.undone(b_, region, e_.pc());
  b_.CreateBr(exits_.bailout());
}

} // namespace sourir::native
