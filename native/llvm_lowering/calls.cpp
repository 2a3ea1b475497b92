#include "native/llvm_lowering/join.h"
#include "native/llvm_lowering/line_table.h"

#include "sourir/syntax/match.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

void FunctionLowering::call(const code::Call& i) {
  const Typed callee = evaluate(i.callee);
  llvm::Value* cell = cell_of(callee, i.arguments.size());
  std::vector<Typed> arguments;
  for (const code::Expr& e : i.arguments) arguments.push_back(evaluate(e));
  const Typed result = call_through(cell, callee, arguments);
  set_position(pc_, kNoCall);
  bind_believed(i.x, result);
}

// The cell of what is called: a constant, or found by the id of a function value, whose arity is
// looked at.
llvm::Value* FunctionLowering::cell_of(const Typed& callee, std::size_t arguments) {
  require(callee, Tag::Fun);
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
  if (arguments.size() > kMostNativeParameters) return slow_call(depth, callee, arguments);
  auto* entry = llvm::cast<llvm::LoadInst>(load_from(ptr_, cell, Memory::Entry));
  entry->setAtomic(llvm::AtomicOrdering::Monotonic);
  Join join(b_, block("returned"));
  llvm::BasicBlock* slow = block("slow_call");
  unless(b_.CreateIsNotNull(entry), slow);
  std::vector<llvm::Value*> values{depth};
  for (const Typed& a : arguments) values.insert(values.end(), {a.bits, a.tag});
  set_position(pc_, kCall);
  llvm::CallInst* result = b_.CreateCall(m_.entry_type(arguments.size()), entry, values);
  result->addFnAttr(llvm::Attribute::NoMerge); // its position is found by its address
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  join.arrive({b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), kAnyKind});
  b_.SetInsertPoint(slow);
  join.arrive(slow_call(depth, callee, arguments));
  return join.finish();
}

Typed FunctionLowering::slow_call(llvm::Value* depth, const Typed& callee,
                                  const std::vector<Typed>& arguments) {
  llvm::Value* values = buffer(arguments.size() + 1);
  write_value(callee, values, 0);
  for (std::size_t i = 0; i < arguments.size(); ++i) write_value(arguments[i], values, i + 1);
  llvm::CallInst* result = call_runtime(
      "rt_call", {depth, values, b_.CreateConstGEP1_64(i64_, values, 2), number(arguments.size())});
  return {b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), kAnyKind};
}

void FunctionLowering::count_fuel() {
  if (!m_.options.fuel) return;
  llvm::Value* fuel = pointer(m_.host.fuel);
  llvm::Value* left = b_.CreateSub(load_from(i64_, fuel, Memory::Fuel), number(1));
  store_to(left, fuel, Memory::Fuel);
  llvm::BasicBlock* none = block("out_of_fuel");
  unless(b_.CreateICmpSGE(left, number(0)), none);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(none);
  call_runtime("rt_out_of_fuel", {pointer(&code_), number(pc_), written_down(nullptr)});
  b_.CreateUnreachable();
}

llvm::BasicBlock* FunctionLowering::failure() {
  if (failure_ != nullptr) return failure_;
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  failure_ = block("resume");
  b_.SetInsertPoint(failure_);
  resume_at(pc_);
  return failure_;
}

// Goes on with the instruction there in the baseline, with the variables as they are now.
void FunctionLowering::resume_at(Pc pc) { leave_by("rt_resume", pc, nullptr); }

void FunctionLowering::leave_by(std::string_view name, Pc pc, const std::vector<bool>* used) {
  llvm::Value* slots = written_down(used);
  // The frame is gone for whoever looks at the stack: its return address is no call.
  set_position(pc, kNoCall);
  llvm::CallInst* result = call_runtime(name, {depth_, pointer(&code_), number(pc), slots});
  b_.CreateRet(result);
}

llvm::BasicBlock* FunctionLowering::leave_block(const code::Exit& exit) {
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  llvm::BasicBlock* leave = block("leave");
  b_.SetInsertPoint(leave);
  const std::vector<bool> used = used_by(exit);
  leave_by("rt_leave", pc_, &used);
  return leave;
}

// All variables, or those that are used, as values in memory.
llvm::Value* FunctionLowering::written_down(const std::vector<bool>* used) {
  if (frame_ != nullptr) return frame_;
  llvm::Value* values = buffer(code_.slots.size());
  const Kinds::State& kinds = written_kinds_ != nullptr ? *written_kinds_ : kinds_.before(pc_);
  for (Slot s = 0; s < code_.slots.size(); ++s) {
    if (used != nullptr && !(*used)[s]) continue;
    Typed v{b_.CreateLoad(i64_, bits_[s]), nullptr, kinds[s]};
    const std::optional<Tag> tag = single(v.kinds);
    if (tag == Tag::Unbound) v.bits = number(0);
    v.tag = tag ? number(static_cast<std::uint64_t>(*tag)) : b_.CreateLoad(i64_, tags_[s]);
    write_value(v, values, s);
  }
  return values;
}

// Variables that its block makes are no slots of this version.
std::vector<bool> FunctionLowering::used_by(const code::Exit& exit) const {
  std::vector<bool> used(code_.slots.size());
  const auto uses = [&](const code::Expr& e) {
    for (const code::Operand& o : {e.a, e.b})
      if (o.slot < used.size()) used[o.slot] = true;
  };
  const auto frame = [&](const code::Frame& f) {
    for (const code::Entry& entry : f.varmap) uses(entry.value);
  };
  frame(exit.frame);
  for (const code::OuterFrame& outer : exit.outer) frame(outer.frame);
  for (const code::Deferred& d : exit.with)
    match(
        d,
        [&](const code::Decl& i) {
          if (i.e) uses(*i.e);
        },
        [&](const code::ArrayDecl& i) { uses(i.length); },
        [&](const code::ArrayDef& i) { std::for_each(i.elements.begin(), i.elements.end(), uses); },
        [&](const code::ArrayUpdate& i) {
          if (i.x < used.size()) used[i.x] = true;
          uses(i.index);
          uses(i.value);
        });
  return used;
}

// What is not there was no value: the baseline does it again, and says why.
Typed FunctionLowering::checked(llvm::Value* result, TagSet kinds) {
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

} // namespace sourir::native
