#include "native/llvm_lowering/join.h"
#include "native/llvm_lowering/line_table.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

void FunctionLowering::call(const resolved::Call& i) {
  const Typed callee = evaluate(i.callee);
  llvm::Value* cell = cell_of(callee, i.arguments.size());
  std::vector<Typed> arguments;
  for (const resolved::Expr& e : i.arguments) arguments.push_back(evaluate(e));
  const Typed result = call_through(cell, callee, arguments);
  set_position(pc_, kNoCall);
  if (m_.options.forced_exits && m_.host.returned != nullptr)
    store_to(llvm::ConstantInt::get(i8_, 1), pointer(m_.host.returned), Memory::Fuel);
  bind_believed(i.x, result);
}

// The cell of what is called: a constant, or found by the id of a function value, whose arity is
// looked at.
llvm::Value* FunctionLowering::cell_of(const Typed& callee, std::size_t arguments) {
  require(callee, Tag::Fun);
  if (!may(callee.kinds, Tag::Fun)) return pointer(nullptr); // nobody comes here
  const FunctionCell* cells = m_.host.cells;
  if (const auto* id = llvm::dyn_cast<llvm::ConstantInt>(callee.bits)) {
    const FunctionCell& cell = cells[id->getZExtValue()];
    if (cell.arity != arguments) unless(b_.getFalse(), failure());
    return pointer(&cell);
  }
  llvm::Value* offset = b_.CreateMul(callee.bits, number(sizeof(FunctionCell)));
  llvm::Value* cell = b_.CreateGEP(i8_, pointer(cells), offset);
  llvm::Value* arity =
      load_from(b_.getInt32Ty(), b_.CreateConstGEP1_64(i8_, cell, offsetof(FunctionCell, arity)),
                Memory::Arity);
  unless(b_.CreateICmpEQ(arity, b_.getInt32(static_cast<std::uint32_t>(arguments))), failure());
  return cell;
}

void FunctionLowering::set_position(Pc pc, unsigned what) {
  b_.SetCurrentDebugLocation(llvm::DILocation::get(m_.context(), pc + 1, what, scope_));
}

Typed FunctionLowering::call_through(llvm::Value* cell, const Typed& callee,
                                     const std::vector<Typed>& arguments) {
  llvm::Value* depth = b_.CreateSub(depth_, number(1));
  unless(b_.CreateICmpSGE(depth, number(0)), failure());
  count_fuel(); // now: the baseline counts those that it does instead
  if (arguments.size() > kMostNativeParameters) return slow_call(depth, callee, arguments);
  std::vector<llvm::Value*> values{depth};
  for (const Typed& a : arguments) values.insert(values.end(), {a.bits, a.tag});
  if (llvm::Function* known = itself(callee, arguments)) return call_native(known, values);
  auto* entry = llvm::cast<llvm::LoadInst>(load_from(ptr_, cell, Memory::Entry));
  entry->setAtomic(llvm::AtomicOrdering::Monotonic);
  Join join(b_, block("returned"));
  llvm::BasicBlock* slow = block("slow_call");
  unless(b_.CreateIsNotNull(entry), slow);
  join.arrive(call_native(entry, values));
  b_.SetInsertPoint(slow);
  join.arrive(slow_call(depth, callee, arguments));
  return join.finish();
}

Typed FunctionLowering::call_native(llvm::Value* code, const std::vector<llvm::Value*>& values) {
  set_position(pc_, kCall);
  llvm::CallInst* result = b_.CreateCall(m_.entry_type(values.size() / 2), code, values);
  result->addFnAttr(llvm::Attribute::NoMerge); // its position is found by its address
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  return {b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), kAnyType};
}

// What a call of the function by itself enters: past the test of expected kinds where the
// arguments have them. Null: somebody else is called, or may be.
llvm::Function* FunctionLowering::itself(const Typed& callee,
                                         const std::vector<Typed>& arguments) const {
  const auto* id = llvm::dyn_cast<llvm::ConstantInt>(callee.bits);
  if (body_ == nullptr || id == nullptr || id->getZExtValue() != code_.function.id) return nullptr;
  for (Slot p = 0; p < arguments.size() && request_.expected != nullptr; ++p) {
    const Tag expected = request_.expected[p];
    if (expected != Tag::Unbound && !only(arguments[p].kinds, expected)) return function_;
  }
  return body_;
}

Typed FunctionLowering::slow_call(llvm::Value* depth, const Typed& callee,
                                  const std::vector<Typed>& arguments) {
  std::vector<Typed> values{callee};
  values.insert(values.end(), arguments.begin(), arguments.end());
  set_position(pc_, kCall);
  return checked(call_with("rt_call", {depth, nullptr, nullptr, number(arguments.size())}, values),
                 kAnyType);
}

// What is not there was no value: the baseline does it again, and says why.
Typed FunctionLowering::checked(llvm::Value* result, TypeSet kinds) {
  Typed v{b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), kinds};
  unless(b_.CreateICmpNE(v.tag, number(kNoValue)), failure());
  if (const std::optional<Tag> tag = single(kinds))
    v.tag = number(static_cast<std::uint64_t>(*tag));
  return v;
}

llvm::CallInst* FunctionLowering::call_runtime(std::string_view name,
                                               std::vector<llvm::Value*> arguments) {
  arguments.insert(arguments.begin(), pointer(m_.host.machine));
  llvm::CallInst* result = b_.CreateCall(m_.runtime(name), arguments);
  result->addFnAttr(llvm::Attribute::NoMerge);
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  return result;
}

// With values behind the arguments (values_on_stack.h); null: a pointer to them.
llvm::CallInst* FunctionLowering::call_with(std::string_view name,
                                            std::vector<llvm::Value*> arguments,
                                            const std::vector<Typed>& values) {
  arguments.insert(arguments.begin(), pointer(m_.host.machine));
  arguments.resize(5);
  for (llvm::Value*& a : arguments)
    if (a == nullptr) a = llvm::PoisonValue::get(i64_);
  arguments.push_back(m_.runtime(name));
  for (const Typed& v : values) arguments.insert(arguments.end(), {v.bits, v.tag});
  std::vector<llvm::Type*> types;
  for (const llvm::Value* a : arguments) types.push_back(a->getType());
  llvm::Function* function = m_.runtime(name);
  auto* type = llvm::FunctionType::get(function->getReturnType(), types, false);
  llvm::CallInst* result = b_.CreateCall(type, m_.with_values(name), arguments);
  result->setAttributes(llvm::AttributeList::get(
      m_.context(), llvm::AttributeList::FunctionIndex,
      llvm::AttrBuilder(m_.context(), function->getAttributes().getFnAttrs())));
  result->addFnAttr(llvm::Attribute::NoMerge);
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  return result;
}

} // namespace sourir::native
