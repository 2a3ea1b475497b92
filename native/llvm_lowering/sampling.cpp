// Code that is sampled: a shadow frame with the kinds of values that are not known statically
// (profiler/sampled_code.h), and places where it looks whether there is better code. Code whose
// kinds are all known has neither, unless samples are to be the same in each run.
#include "native/llvm_lowering/function_lowering.h"
#include "native/llvm_lowering/line_table.h"

#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::size_t kMostSlots = 64;
constexpr std::size_t kNoSlot = ~std::size_t{0};

bool uses(const code::Expr& e, Slot x) { return e.a.slot == x || e.b.slot == x; }

bool uses(const code::Instr& instr, Slot x) {
  const auto in = [&](const code::Expr& e) { return uses(e, x); };
  return match(
      instr, [&](const code::Decl& i) { return i.e && in(*i.e); },
      [](const code::Drop&) { return false; }, [&](const code::Assign& i) { return in(i.e); },
      [&](const code::ArrayDecl& i) { return in(i.length); },
      [&](const code::ArrayDef& i) { return std::ranges::any_of(i.elements, in); },
      [&](const code::ArrayUpdate& i) { return i.x == x || in(i.index) || in(i.value); },
      [&](const code::Branch& i) { return in(i.e); }, [](const code::Goto&) { return false; },
      [&](const code::Print& i) { return in(i.e); }, [](const code::Read&) { return false; },
      [&](const code::Assert& i) { return in(i.e); },
      [&](const code::Call& i) { return in(i.callee) || std::ranges::any_of(i.arguments, in); },
      [&](const code::Return& i) { return in(i.e); }, [&](const code::Stop& i) { return in(i.e); },
      [](const code::Assume&) { return false; }, [](const code::Anchor&) { return false; },
      [](const code::GuardHint&) { return false; });
}

} // namespace

void FunctionLowering::plan_samples() {
  if (request_.sampled == nullptr) return;
  const auto add = [&](SampleSlot slot) {
    if (sample_slots_.size() == kMostSlots) return kNoSlot;
    sample_slots_.push_back(slot);
    return sample_slots_.size() - 1;
  };
  if (request_.entry || request_.parameters_only)
    for (Slot p = 0; p < code_.parameters; ++p)
      if (is_sampled_parameter(p)) add({true, p});
  sampled_at_.assign(code_.instrs.size(), kNoSlot);
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (is_sampled(pc)) sampled_at_[pc] = add({false, pc});
}

// Whether an instruction uses it where its kind is not known. (Guards come first, and tell it.)
bool FunctionLowering::is_sampled_parameter(Slot p) const {
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (kinds_.reached(pc) && !single(kinds_.before(pc)[p]) && uses(code_.instrs[pc], p))
      return true;
  return false;
}

// Copies of variables have the kind of what they are copies of.
bool FunctionLowering::is_sampled(Pc pc) const {
  if (!kinds_.reached(pc) || kinds_.unseen(pc)) return false;
  const auto computed = [&](const code::Expr& e) {
    return e.shape != code::Shape::Simple &&
           !single(kinds_.believed(pc, Kinds::of(e, kinds_.before(pc))));
  };
  const bool any = !single(kinds_.believed(pc, kAnyKind));
  const code::Instr& instr = code_.instrs[pc];
  if (const auto* decl = std::get_if<code::Decl>(&instr)) return decl->e && computed(*decl->e);
  if (const auto* assign = std::get_if<code::Assign>(&instr)) return computed(assign->e);
  return any &&
         (std::holds_alternative<code::Call>(instr) || std::holds_alternative<code::Read>(instr));
}

// Word 0 says whose frame it is, when the others are zero. A stack map says where it lies.
void FunctionLowering::begin_samples() {
  if (request_.sampled == nullptr) return;
  if (!sample_slots_.empty()) {
    llvm::BasicBlock& first = current_->getEntryBlock();
    llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
    shadow_ = entry.CreateAlloca(i64_, number(sample_slots_.size() + 1), "shadow");
    for (std::size_t i = 1; i <= sample_slots_.size(); ++i)
      b_.CreateStore(number(0), b_.CreateConstGEP1_64(i64_, shadow_, i), true);
    llvm::Value* owner = number(reinterpret_cast<std::uint64_t>(request_.sampled));
    b_.CreateStore(owner, shadow_, true);
    llvm::Function* map =
        llvm::Intrinsic::getDeclaration(&m_.module, llvm::Intrinsic::experimental_stackmap);
    b_.CreateCall(map, {owner, b_.getInt32(0), shadow_});
    for (std::size_t i = 0; i < sample_slots_.size() && sample_slots_[i].parameter; ++i) {
      const Slot p = sample_slots_[i].at;
      keep_kind(i, {b_.CreateLoad(i64_, bits_[p]), b_.CreateLoad(i64_, tags_[p]), kAnyKind});
    }
  }
  set_position(request_.start, kNoCall);
  sample_point(request_.start);
}

// One store: there is no moment at which the slot holds something else.
void FunctionLowering::keep_kind(std::size_t slot, const Typed& v) {
  if (slot >= sample_slots_.size()) return;
  llvm::Value* word = b_.CreateOr(v.tag, number(profiler::kPresent));
  b_.CreateStore(word, b_.CreateConstGEP1_64(i64_, shadow_, slot + 1), true);
}

// The state is that before `pc`.
void FunctionLowering::sample_point(Pc pc) {
  if (request_.sampled == nullptr) return;
  if (m_.options.ticks != nullptr) {
    llvm::Value* ticks = pointer(m_.options.ticks);
    llvm::Value* left = b_.CreateSub(load_from(i64_, ticks, Memory::Fuel), number(1));
    store_to(left, ticks, Memory::Fuel);
    ask("rt_tick", b_.CreateICmpSGE(left, number(0)), pc);
  }
  if (shadow_ == nullptr) return;
  llvm::LoadInst* request =
      b_.CreateLoad(b_.getInt32Ty(), pointer(&request_.sampled->request), true);
  ask("rt_look", b_.CreateICmpEQ(request, b_.getInt32(0)), pc);
}

void FunctionLowering::ask(std::string_view name, llvm::Value* go_on, Pc pc) {
  llvm::BasicBlock *on = block("on"), *asked = block("ask"), *leave = block("stale");
  b_.CreateCondBr(go_on, on, asked, m_.unlikely());
  b_.SetInsertPoint(asked);
  llvm::Value* shadow = shadow_ != nullptr ? shadow_ : pointer(nullptr);
  llvm::Value* leaves = call_runtime(name, {pointer(request_.sampled), shadow});
  b_.CreateCondBr(b_.CreateICmpEQ(leaves, number(0)), on, leave, m_.unlikely());
  b_.SetInsertPoint(leave);
  leave_by("rt_resume", pc, variables(kinds_.before(pc), nullptr));
  b_.SetInsertPoint(on);
}

} // namespace sourir::native
