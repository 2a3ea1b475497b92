#include "native/llvm_lowering/dispatch.h"

#include "native/runtime/array.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

ContextTests::ContextTests(Emitter& emitter, std::span<const TypedValue> arguments)
    : e_(emitter), b_(emitter.ir), arguments_(arguments) {}

TypedValue ContextTests::operand(const resolved::Operand& e) const {
  return e.slot == resolved::kLiteral ? e_.constant(e.literal) : arguments_[e.slot];
}

llvm::Value* ContextTests::has_type(const TypedValue& v, Tag tag) {
  return may(v.types, tag) ? e_.is(v, tag) : b_.getFalse();
}

llvm::Value* ContextTests::equal(const TypedValue& a, const TypedValue& b) {
  if (!a.types.intersects(b.types)) return b_.getFalse();
  llvm::Value* same = b_.CreateICmpEQ(a.bits, b.bits);
  if (may(a.types, Tag::Float) && may(b.types, Tag::Float)) {
    llvm::Value* numbers = b_.CreateFCmpOEQ(e_.as_double(a.bits), e_.as_double(b.bits));
    same = b_.CreateSelect(has_type(a, Tag::Float), numbers, same);
  }
  return b_.CreateAnd(b_.CreateICmpEQ(a.tag, b.tag), same);
}

llvm::Value* ContextTests::is_bool(const TypedValue& v, bool value) {
  return b_.CreateAnd(has_type(v, Tag::Bool), b_.CreateICmpEQ(v.bits, e_.number(value ? 1 : 0)));
}

llvm::Value* ContextTests::holds(const resolved::Expr& guard) {
  const TypedValue a = operand(guard.a);
  switch (guard.shape) {
  case resolved::Shape::KindTest: return has_type(a, static_cast<Tag>(guard.op));
  case resolved::Shape::Simple: return is_bool(a, true);
  case resolved::Shape::Unary: return is_bool(a, false);
  default: break;
  }
  const TypedValue b = operand(guard.b);
  switch (static_cast<BinaryOp>(guard.op)) {
  case BinaryOp::Eq: return equal(a, b);
  case BinaryOp::Ne: return b_.CreateNot(equal(a, b));
  default: return b_.CreateAnd(is_bool(a, true), is_bool(b, true));
  }
}

void ContextTests::require(const resolved::Expr& guard, llvm::BasicBlock* other, bool by_storage) {
  if (guard.shape == resolved::Shape::ElementsTest)
    return require_elements(operand(guard.a), static_cast<Tag>(guard.op), other, by_storage);
  llvm::BasicBlock* on = e_.block("on");
  b_.CreateCondBr(holds(guard), on, other);
  b_.SetInsertPoint(on);
}

// By the storage of the array; elements that are boxed, and none at all, by the runtime.
void ContextTests::require_elements(const TypedValue& array, Tag type, llvm::BasicBlock* other,
                                    bool by_storage) {
  llvm::BasicBlock *is_array = e_.block("array"), *unboxed = e_.block("unboxed"),
                   *boxed = by_storage ? other : e_.block("boxed"), *on = e_.block("on");
  b_.CreateCondBr(has_type(array, Tag::Array), is_array, other);
  b_.SetInsertPoint(is_array);
  llvm::Value* p = b_.CreateIntToPtr(array.bits, e_.ptr);
  llvm::Value* found = e_.load(e_.i8, e_.offset(p, offsetof(Array, storage)), Memory::Storage);
  const auto wanted = static_cast<std::uint64_t>(full_storage(type));
  b_.CreateCondBr(b_.CreateICmpEQ(found, llvm::ConstantInt::get(e_.i8, wanted)), unboxed, boxed);
  b_.SetInsertPoint(unboxed);
  llvm::Value* filled = e_.load(e_.i64, e_.offset(p, offsetof(Array, filled)), Memory::Filled);
  llvm::Value* length = e_.load(e_.i64, e_.offset(p, offsetof(Array, length)), Memory::Length);
  e_.branch_likely(b_.CreateICmpEQ(filled, length), on, boxed);
  b_.SetInsertPoint(on);
  if (by_storage) return;
  b_.SetInsertPoint(boxed);
  llvm::Value* hold = e_.call_runtime("rt_elements_are", {array.bits, e_.tag(type)});
  b_.CreateCondBr(b_.CreateICmpNE(hold, e_.number(0)), on, other);
  b_.SetInsertPoint(on);
}

// --- What is known at compile time ---

std::optional<bool> ContextTests::known(const resolved::Expr& guard) {
  if (guard.shape == resolved::Shape::ElementsTest)
    return may(operand(guard.a).types, Tag::Array) ? std::nullopt : std::optional(false);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(holds(guard));
  return constant != nullptr ? std::optional(constant->isOne()) : std::nullopt;
}

const DispatchTable::Entry* ContextTests::known_version(const DispatchTable& table) {
  for (const DispatchTable::Entry* const entry : table.order) {
    bool all = true, never = false;
    for (const resolved::Expr& guard : entry->when) {
      const std::optional<bool> holds = known(guard);
      all = all && holds == true;
      never = never || holds == false;
    }
    // The tiers may make a version for such calls later, which this one would never enter.
    if (all) return table.by_tiers && entry == table.order.back() ? nullptr : entry;
    if (!never) return nullptr;
  }
  return nullptr; // not reached: the last version has no context
}

// --- Dispatchers ---

void count_call(Emitter& e, const std::uint64_t& counter) {
  if (!e.module.options.counts_dispatches) return;
  llvm::Value* p = e.pointer(&counter);
  llvm::Value* more = e.ir.CreateAdd(e.load(e.i64, p, Memory::Dispatch), e.number(1));
  e.store(more, p, Memory::Dispatch);
}

namespace {

// A call of the version for all others counts as so many calls, until the tiers look at the
// arguments of one.
constexpr std::uint64_t kOtherCalls = 67;

// A jump: the version has the caller's return address, and the dispatcher no frame of its own.
void jump_to(Emitter& e, const DispatchTable::Entry& version, llvm::BasicBlock* next) {
  auto* code = llvm::cast<llvm::LoadInst>(e.load(e.ptr, e.pointer(&version.code), Memory::Entry));
  code->setAtomic(llvm::AtomicOrdering::Monotonic);
  if (!version.required) {
    llvm::BasicBlock* there = e.block("there");
    e.branch_likely(e.ir.CreateIsNotNull(code), there, next);
    e.ir.SetInsertPoint(there);
  }
  count_call(e, version.tested_calls);
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& a : e.function()->args()) arguments.push_back(&a);
  llvm::CallInst* call = e.ir.CreateCall(e.function()->getFunctionType(), code, arguments);
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  e.ir.CreateRet(call);
}

// Returns what is left.
llvm::Value* count_down(Emitter& e, const DispatchTable& table, std::uint64_t calls) {
  llvm::Value* count = e.pointer(&table.until_report);
  llvm::Value* left = e.ir.CreateSub(e.load(e.i64, count, Memory::Dispatch), e.number(calls));
  e.store(left, count, Memory::Dispatch);
  return left;
}

// Now and then the tiers see the arguments of a call. This one counts as so many.
void report_calls(Emitter& e, const CompileRequest& request,
                  const std::vector<TypedValue>& arguments, std::uint64_t calls) {
  llvm::Value* left = count_down(e, *request.dispatched->dispatch, calls);
  llvm::BasicBlock *report = e.block("report"), *on = e.block("on");
  e.branch_likely(e.ir.CreateICmpSGT(left, e.number(0)), on, report);
  e.ir.SetInsertPoint(report);
  e.call_stub("rt_dispatched_call", {nullptr, e.pointer(request.dispatched)}, arguments);
  e.ir.CreateBr(on);
  e.ir.SetInsertPoint(on);
}

} // namespace

LoweredVersion lower_dispatcher(ModuleLowering& module, llvm::IRBuilderBase& builder,
                                const CompileRequest& request, llvm::Function* function) {
  Emitter e(module, builder, request);
  function->addFnAttr("frame-pointer", "none");
  e.enter(function);
  e.leave_instructions();
  e.lowered(profiler::Event::Dispatch);
  std::vector<TypedValue> arguments;
  for (unsigned i = 0; i < request.code->parameters; ++i)
    arguments.push_back({function->getArg(1 + 2 * i), function->getArg(2 + 2 * i), kAnyType});
  ContextTests tests(e, arguments);
  const DispatchTable& table = *request.dispatched->dispatch;
  if (table.by_tiers) report_calls(e, request, arguments, 1);
  for (const DispatchTable::Entry* const entry : table.order) {
    llvm::BasicBlock* next = e.block("next");
    for (const resolved::Expr& guard : entry->when) tests.require(guard, next, table.by_tiers);
    // Reported here, and not with the next call: where calls of two contexts take turns, and one
    // has no version, that would always be the other one.
    if (table.by_tiers && entry == table.order.back())
      report_calls(e, request, arguments, kOtherCalls - 1);
    jump_to(e, *entry, next);
    builder.SetInsertPoint(next);
  }
  builder.CreateUnreachable(); // the last version has no context
  return {{}, e.markers.all()};
}

} // namespace sourir::native
