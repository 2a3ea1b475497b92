#include "native/llvm_lowering/function_lowering.h"
#include "native/llvm_lowering/line_table.h"

#include "sourir/analysis/mutant.h"
#include "sourir/semantics/iterations.h"
#include "sourir/syntax/match.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

FunctionLowering::FunctionLowering(ModuleLowering& module, llvm::IRBuilderBase& builder,
                                   const CompileRequest& request, llvm::Function* function,
                                   llvm::Function* body)
    : m_(module), b_(builder), request_(request), code_(*request.code), kinds_(request),
      function_(function), body_(body), current_(function), i8_(b_.getInt8Ty()),
      i64_(b_.getInt64Ty()), double_(b_.getDoubleTy()), ptr_(b_.getPtrTy()),
      blocks_(code_.instrs.size()), scope_(function->getSubprogram()) {
  plan_samples();
}

void FunctionLowering::run() {
  b_.SetInsertPoint(block("entry"));
  note_entry();
  depth_ = function_->getArg(0);
  make_slots();
  request_.entry ? fill_from_arguments() : fill_from_buffer();
  test_expected_kinds();
  if (body_ != nullptr) enter_body();
  begin_samples();
  const auto begins = [&](Pc pc) {
    if (kinds_.reached(pc) && blocks_[pc] == nullptr) blocks_[pc] = block("at");
  };
  begins(request_.start);
  for (const resolved::Instr& i : code_.instrs) {
    if (const auto* branch = std::get_if<resolved::Branch>(&i)) {
      begins(branch->if_true);
      begins(branch->if_false);
    } else if (const auto* jump = std::get_if<resolved::Goto>(&i)) {
      begins(jump->target);
    }
  }
  b_.CreateBr(blocks_[request_.start]);
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
    if (!kinds_.reached(pc)) continue;
    if (blocks_[pc] != nullptr) {
      if (b_.GetInsertBlock()->getTerminator() == nullptr) b_.CreateBr(blocks_[pc]);
      b_.SetInsertPoint(blocks_[pc]);
    }
    lower(pc);
  }
  end_region();
}

void FunctionLowering::enter_body() {
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& a : function_->args()) arguments.push_back(&a);
  for (Slot s = 0; request_.expected != nullptr && s < code_.parameters; ++s)
    if (request_.expected[s] != Tag::Unbound)
      arguments[s * 2 + 2] = number(static_cast<std::uint64_t>(request_.expected[s]));
  set_position(request_.start, kNoCall);
  b_.CreateRet(b_.CreateCall(body_, arguments));
  current_ = body_;
  scope_ = body_->getSubprogram();
  bits_.clear();
  tags_.clear();
  b_.SetCurrentDebugLocation(llvm::DebugLoc());
  b_.SetInsertPoint(block("entry"));
  note_entry();
  depth_ = body_->getArg(0);
  make_slots();
  fill_from_arguments();
}

// Said again where nothing has changed, it means nothing.
void FunctionLowering::note_entry() {
  if (m_.options.entries && request_.entry) call_runtime("rt_entered", {pointer(&code_)});
}

void FunctionLowering::make_slots() {
  const std::size_t count = code_.slots.size();
  if (m_.options.level == 0 && count != 0)
    frame_ = b_.CreateAlloca(i64_, number(count * 2), "slots");
  if (frame_ != nullptr) resume_at_ = b_.CreateAlloca(i64_, nullptr, "resume_at");
  for (Slot s = 0; s < count; ++s) {
    const std::string name(m_.host.names->text(code_.slots[s]));
    bits_.push_back(frame_ != nullptr ? b_.CreateConstGEP1_64(i64_, frame_, s * 2)
                                      : b_.CreateAlloca(i64_, nullptr, name));
    tags_.push_back(frame_ != nullptr ? b_.CreateConstGEP1_64(i64_, frame_, s * 2 + 1)
                                      : b_.CreateAlloca(i64_, nullptr, name + ".kind"));
  }
}

void FunctionLowering::fill_from_arguments() {
  for (Slot s = 0; s < code_.slots.size(); ++s) {
    const bool parameter = s < code_.parameters;
    if (!parameter && frame_ == nullptr) continue; // known to be unbound
    const auto unbound = number(static_cast<std::uint64_t>(Tag::Unbound));
    b_.CreateStore(parameter ? current_->getArg(s * 2 + 1) : number(0), bits_[s]);
    b_.CreateStore(parameter ? current_->getArg(s * 2 + 2) : unbound, tags_[s]);
  }
}

void FunctionLowering::fill_from_buffer() {
  const std::size_t count = frame_ != nullptr ? code_.slots.size() : entered_slots(request_);
  for (Slot s = 0; s < count; ++s) {
    llvm::Value* p = b_.CreateConstGEP1_64(i64_, function_->getArg(1), s * 2);
    b_.CreateStore(load_from(i64_, p, Memory::Slots), bits_[s]);
    llvm::Value* tag = load_from(i8_, b_.CreateConstGEP1_64(i8_, p, 8), Memory::Slots);
    b_.CreateStore(b_.CreateZExt(tag, i64_), tags_[s]);
  }
}

void FunctionLowering::test_expected_kinds() {
  if (request_.expected == nullptr) return;
  llvm::BasicBlock* other = nullptr;
  Kinds::State kinds = kinds_.before(request_.start);
  for (Slot s = 0; s < entered_slots(request_); ++s) {
    if (request_.expected[s] == Tag::Unbound) continue;
    kinds[s] = kAnyType;
    if (other == nullptr) other = block("other.kinds");
    llvm::Value* tag = number(static_cast<std::uint64_t>(request_.expected[s]));
    unless(b_.CreateICmpEQ(b_.CreateLoad(i64_, tags_[s]), tag), other);
    if (frame_ == nullptr) b_.CreateStore(tag, tags_[s]);
  }
  if (other == nullptr) return;
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(other);
  leave_by("rt_resume", request_.start, variables(kinds, nullptr));
  if (m_.exits != nullptr) m_.exits->back().kind = NativeExit::Kind::OtherKinds;
}

void FunctionLowering::lower(Pc pc) {
  pc_ = pc;
  set_position(pc, kNoCall);
  const bool alone = frame_ != nullptr && !mutant(103);
  if (blocks_[pc] != nullptr || alone || begins_region(pc)) begin_region(pc);
  leave_for_better_loop(pc);
  if (kinds_.unseen(pc)) {
    b_.CreateBr(failure());
    return;
  }
  match(
      code_.instrs[pc],
      [&](const resolved::Decl& i) { i.e ? bind(i.x, *i.e) : bind(i.x, constant(Value())); },
      [&](const resolved::Drop& i) { bind(i.x, constant(Value::unbound())); },
      [&](const resolved::Assign& i) { bind(i.x, i.e); },
      [&](const resolved::ArrayDecl& i) { bind(i.x, array_of_nils(evaluate(i.length))); },
      [&](const resolved::ArrayDef& i) { array_literal(i); },
      [&](const resolved::ArrayUpdate& i) {
        const Typed index = evaluate(i.index), value = evaluate(i.value);
        store(operand({.literal = {}, .slot = i.x}), index, value);
      },
      [&](const resolved::Branch& i) { branch(i); },
      [&](const resolved::Goto& i) {
        if (is_back_edge(i, pc)) end_of_round();
        b_.CreateBr(blocks_[i.target]);
      },
      [&](const resolved::Print& i) {
        const Typed v = evaluate(i.e);
        checked(call_runtime("rt_print", {v.bits, v.tag}), kAnyType);
      },
      [&](const resolved::Read& i) {
        bind_believed(i.x, checked(call_runtime("rt_read", {}), kAnyType));
      },
      [&](const resolved::Assert& i) { unless(truth(i.e), failure()); },
      [&](const resolved::Call& i) { call(i); },
      [&](const resolved::Return& i) {
        const Typed v = evaluate(i.e);
        sample_return();
        llvm::Value* result = llvm::PoisonValue::get(m_.result_type());
        result = b_.CreateInsertValue(result, v.bits, 0);
        b_.CreateRet(b_.CreateInsertValue(result, v.tag, 1));
      },
      [&](const resolved::Stop& i) {
        const Typed v = evaluate(i.e);
        call_runtime("rt_stop", {v.bits, v.tag});
        b_.CreateUnreachable();
      },
      [&](const resolved::Assume& i) { assume(i); }, [&](const resolved::Anchor& i) { anchor(i); },
      [](const resolved::GuardHint&) {});
}

void FunctionLowering::bind(Slot x, const resolved::Expr& e) {
  const TypeSet possible = Kinds::of(e, kinds_.before(pc_));
  const TypeSet believed = kinds_.believed(pc_, possible);
  Typed v = evaluate(e, believed);
  if (believed != possible) {
    unless(is(v, *single(believed)), failure());
    v = {v.bits, number(static_cast<std::uint64_t>(*single(believed))), believed};
  }
  bind(x, v);
}

void FunctionLowering::bind(Slot x, const Typed& v) {
  b_.CreateStore(v.bits, bits_[x]);
  b_.CreateStore(v.tag, tags_[x]);
  if (pc_ < sampled_at_.size()) keep_kind(sampled_at_[pc_], v);
}

void FunctionLowering::end_of_round() {
  sample_round(); // first: where it leaves the baseline counts the round
  count_fuel();
}

// What cannot be done again: with a value of another kind than feedback has seen on in the baseline
// behind this instruction.
void FunctionLowering::bind_believed(Slot x, Typed v) {
  const TypeSet believed = kinds_.believed(pc_, v.kinds);
  if (believed == v.kinds) return bind(x, v);
  llvm::BasicBlock *usual = block("believed"), *other = block("surprise");
  b_.CreateCondBr(is(v, *single(believed)), usual, other, m_.unlikely());
  b_.SetInsertPoint(other);
  bind(x, v);
  Kinds::State kinds = kinds_.before(pc_);
  kinds[x] = kAnyType;
  leave_by("rt_resume", pc_ + 1, variables(kinds, nullptr));
  b_.SetInsertPoint(usual);

  bind(x, {v.bits, number(static_cast<std::uint64_t>(*single(believed))), believed});
}

void FunctionLowering::branch(const resolved::Branch& i) {
  llvm::Value* condition = truth(i.e); // first: what goes on in the baseline is counted there
  if (is_back_edge(i, pc_)) end_of_round();
  if (i.if_true == i.if_false)
    b_.CreateBr(blocks_[i.if_true]);
  else
    b_.CreateCondBr(condition, blocks_[i.if_true], blocks_[i.if_false]);
}

void FunctionLowering::assume(const resolved::Assume& i) {
  const bool asks = m_.options.forced_exits && !i.exit.stays;
  if (i.guards.empty() && !asks) return;
  llvm::BasicBlock* leave = leave_block(i.exit);
  instead_ = leave;
  for (const resolved::Expr& e : i.guards) unless(truth(e), leave);
  instead_ = nullptr;
  if (asks) opportunity(leave);
}

void FunctionLowering::anchor(const resolved::Anchor& i) {
  if (m_.options.forced_exits && !i.exit.stays) opportunity(leave_block(i.exit));
}

void FunctionLowering::opportunity(llvm::BasicBlock* leave) {
  llvm::Value* leaves = call_runtime("rt_opportunity", {pointer(&code_), number(pc_)});
  unless(b_.CreateICmpEQ(leaves, number(0)), leave);
}

// Whether an instruction must not be done again.
bool FunctionLowering::has_effect(const resolved::Instr& instr) const {
  return match(
      instr, [](const resolved::Decl&) { return false; },
      [](const resolved::Drop&) { return false; }, [](const resolved::Assign&) { return false; },
      [](const resolved::ArrayDecl&) { return true; },
      [](const resolved::ArrayDef&) { return true; },
      [](const resolved::ArrayUpdate&) { return true; },
      [](const resolved::Branch&) { return false; }, [](const resolved::Goto&) { return false; },
      [](const resolved::Print&) { return true; }, [](const resolved::Read&) { return true; },
      [](const resolved::Assert&) { return false; }, [](const resolved::Call&) { return true; },
      [](const resolved::Return&) { return false; }, [](const resolved::Stop&) { return false; },
      [&](const resolved::Assume&) { return m_.options.forced_exits; },
      [&](const resolved::Anchor&) { return m_.options.forced_exits; },
      [](const resolved::GuardHint&) { return false; });
}

// Behind an effect, and where fuel is counted: what lies before is done.
bool FunctionLowering::begins_region(Pc pc) const {
  if (pc == 0 || has_effect(code_.instrs[pc - 1])) return true;
  if (!m_.options.fuel) return false;
  const resolved::Instr& i = code_.instrs[pc];
  return std::holds_alternative<resolved::Call>(i) || is_back_edge(i, pc);
}

Typed FunctionLowering::constant(Value v) {
  return {number(v.bits()), number(static_cast<std::uint64_t>(v.tag())), type_set(v.tag())};
}

Typed FunctionLowering::boolean(llvm::Value* i1) {
  return {b_.CreateZExt(i1, i64_), constant(Value(true)).tag, type_set(Tag::Bool)};
}

Typed FunctionLowering::integer(llvm::Value* i64) {
  return {i64, constant(Value(std::int64_t{0})).tag, type_set(Tag::Int)};
}

Typed FunctionLowering::floating(llvm::Value* number) {
  return {b_.CreateBitCast(number, i64_), constant(Value(0.0)).tag, type_set(Tag::Float)};
}

llvm::Value* FunctionLowering::number(std::uint64_t n) { return b_.getInt64(n); }

llvm::Value* FunctionLowering::pointer(const void* p) {
  return b_.CreateIntToPtr(number(reinterpret_cast<std::uint64_t>(p)), ptr_);
}

llvm::BasicBlock* FunctionLowering::block(const char* name) {
  return llvm::BasicBlock::Create(m_.context(), name, current_);
}

llvm::Value* FunctionLowering::is(const Typed& v, Tag tag) {
  if (only(v.kinds, tag)) return b_.getTrue();
  return b_.CreateICmpEQ(v.tag, number(static_cast<std::uint64_t>(tag)));
}

void FunctionLowering::unless(llvm::Value* ok, llvm::BasicBlock* other) {
  llvm::BasicBlock* on = block("on");
  b_.CreateCondBr(ok, on, other, m_.unlikely());
  b_.SetInsertPoint(on);
}

llvm::Value* FunctionLowering::load_from(llvm::Type* type, llvm::Value* p, Memory kind) {
  llvm::LoadInst* load = b_.CreateLoad(type, p);
  load->setMetadata(llvm::LLVMContext::MD_tbaa, m_.memory(kind));
  // Lengths and arities never change.
  if (kind == Memory::Length || kind == Memory::Arity)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_.context(), {}));
  return load;
}

void FunctionLowering::store_to(llvm::Value* v, llvm::Value* p, Memory kind) {
  b_.CreateStore(v, p)->setMetadata(llvm::LLVMContext::MD_tbaa, m_.memory(kind));
}

} // namespace sourir::native
