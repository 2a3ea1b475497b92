#include "native/llvm_lowering/function_lowering.h"
#include "native/llvm_lowering/line_table.h"

#include "sourir/analysis/mutant.h"
#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

// A region begins here: instructions that can be done again, up to and with one that cannot.
// Whatever fails in it goes on at its beginning, with the variables as they were then. At level 0
// variables live in memory, so nothing keeps what they were: each instruction is a region.
void FunctionLowering::begin_region(Pc pc) {
  end_region();
  if (!b_.GetInsertBlock()->empty()) {
    llvm::BasicBlock* next = block("region");
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }
  region_ = pc;
  region_block_ = b_.GetInsertBlock();
}

void FunctionLowering::end_region() {
  if (failure_ == nullptr) return;
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (mutant(103))
    b_.SetInsertPoint(failure_);
  else
    b_.SetInsertPoint(region_block_, region_block_->getFirstInsertionPt());
  set_position(region_, kNoCall);
  const std::vector<Typed> values = variables(kinds_.before(region_), nullptr);
  b_.SetInsertPoint(failure_);
  leave_by("rt_resume", region_, values);
  failure_ = nullptr;
}

llvm::BasicBlock* FunctionLowering::failure() {
  if (instead_ != nullptr) return instead_;
  if (failure_ == nullptr) failure_ = block("resume");
  return failure_;
}

// On in the baseline, or in other native code. What the activation returns after that is what it
// returns.
void FunctionLowering::leave_by(std::string name, Pc pc, const std::vector<Typed>& values) {
  note_exit(name == "rt_leave" ? NativeExit::Kind::Exit : NativeExit::Kind::Resume, pc, values);
  if (!request_.entry) name += "_entered";
  // The frame is gone for whoever looks at the stack: its return address is no call.
  set_position(pc, kNoCall);
  if (frame_ != nullptr && name.starts_with("rt_resume")) return resume_on_frame(name, pc);
  const std::vector<llvm::Value*> arguments{depth_, pointer(&code_), number(pc)};
  b_.CreateRet(frame_ == nullptr ? call_with(name, arguments, values)
                                 : call_on_frame(name, arguments));
}

// At the beginning of a region.
void FunctionLowering::leave_for_better_loop(Pc head) {
  const auto loop = std::ranges::lower_bound(request_.better, head, {}, &BetterLoop::head);
  if (loop == request_.better.end() || loop->head != head) return;
  llvm::Value* ready = b_.CreateLoad(i64_, pointer(loop->ready), true);
  llvm::BasicBlock *on = block("on"), *leave = block("better");
  b_.CreateCondBr(b_.CreateICmpEQ(ready, number(0)), on, leave, m_.unlikely());
  b_.SetInsertPoint(leave);
  leave_by("rt_better", head, variables(kinds_.before(head), nullptr));
  b_.SetInsertPoint(on);
}

// Level 0: in one place for all, since LLVM takes long for what returns two values.
void FunctionLowering::resume_on_frame(const std::string& name, Pc pc) {
  b_.CreateStore(number(pc), resume_at_);
  if (resume_ != nullptr) {
    b_.CreateBr(resume_);
    return;
  }
  resume_ = block("resume_all");
  b_.CreateBr(resume_);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(resume_);
  llvm::Value* at = b_.CreateLoad(i64_, resume_at_);
  b_.CreateRet(call_on_frame(name, {depth_, pointer(&code_), at}));
}

void FunctionLowering::note_exit(NativeExit::Kind kind, Pc pc, const std::vector<Typed>& values) {
  if (m_.exits == nullptr) return;
  NativeExit exit{.kind = kind, .at = pc, .in_memory = frame_ != nullptr};
  exit.slots = static_cast<std::uint32_t>(code_.slots.size());
  for (Slot s = 0; s < values.size(); ++s)
    if (!llvm::isa<llvm::PoisonValue>(values[s].bits) && !only(values[s].kinds, Tag::Unbound))
      exit.sent.push_back({s, values[s].kinds});
  m_.exits->push_back(std::move(exit));
}

llvm::CallInst* FunctionLowering::call_on_frame(std::string_view name,
                                                std::vector<llvm::Value*> arguments) {
  arguments.push_back(frame_);
  return call_runtime(name, std::move(arguments));
}

llvm::BasicBlock* FunctionLowering::leave_block(const resolved::Exit& exit) {
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  llvm::BasicBlock* leave = block("leave");
  b_.SetInsertPoint(leave);
  const std::vector<bool> used = used_by(exit);
  leave_by("rt_leave", pc_, variables(kinds_.before(pc_), &used));
  return leave;
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
  const std::vector<llvm::Value*> arguments{pointer(&code_), number(pc_)};
  const std::vector<Typed> values = variables(kinds_.before(pc_), nullptr);
  note_exit(NativeExit::Kind::OutOfFuel, pc_, values);
  if (frame_ == nullptr)
    call_with("rt_out_of_fuel", arguments, values);
  else
    call_on_frame("rt_out_of_fuel", arguments);
  b_.CreateUnreachable();
}

// All variables as they are where the builder stands, or those that are used.
std::vector<Typed> FunctionLowering::variables(const Kinds::State& kinds,
                                               const std::vector<bool>* used) {
  std::vector<Typed> values;
  if (frame_ != nullptr) return values;
  llvm::Value* nothing = llvm::PoisonValue::get(i64_);
  for (Slot s = 0; s < code_.slots.size(); ++s) {
    Typed v{nothing, nothing, kinds[s]};
    const std::optional<Tag> tag = single(v.kinds);
    if (used == nullptr || (*used)[s]) {
      v.bits = tag == Tag::Unbound ? number(0) : b_.CreateLoad(i64_, bits_[s]);
      v.tag = tag ? number(static_cast<std::uint64_t>(*tag)) : b_.CreateLoad(i64_, tags_[s]);
    }
    values.push_back(v);
  }
  return values;
}

// Variables that its block makes are no slots of this version.
std::vector<bool> FunctionLowering::used_by(const resolved::Exit& exit) const {
  std::vector<bool> used(code_.slots.size());
  const auto uses = [&](const resolved::Expr& e) {
    for (const resolved::Operand& o : {e.a, e.b})
      if (o.slot < used.size()) used[o.slot] = true;
  };
  const auto frame = [&](const resolved::Frame& f) {
    for (const resolved::Entry& entry : f.varmap) uses(entry.value);
  };
  frame(exit.frame);
  for (const resolved::OuterFrame& outer : exit.outer) frame(outer.frame);
  for (const resolved::Deferred& d : exit.with)
    match(
        d,
        [&](const resolved::Decl& i) {
          if (i.e) uses(*i.e);
        },
        [&](const resolved::ArrayDecl& i) { uses(i.length); },
        [&](const resolved::ArrayDef& i) {
          std::for_each(i.elements.begin(), i.elements.end(), uses);
        },
        [&](const resolved::ArrayUpdate& i) {
          if (i.x < used.size()) used[i.x] = true;
          uses(i.index);
          uses(i.value);
        });
  return used;
}

} // namespace sourir::native
