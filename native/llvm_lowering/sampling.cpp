// Code that is sampled: it looks at ends of rounds and where it returns whether a sample is wanted
// (profiler/sampled_code.h), or whether there is better code, and only then says of what kinds its
// values are that it does not know statically. Those are kept where LLVM likes best, mostly in the
// registers where they are anyway. Code, and loops, whose kinds are all known do not look, unless
// samples are to be the same in each run.
#include "native/llvm_lowering/function_lowering.h"
#include "native/llvm_lowering/line_table.h"

#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::uint64_t kNoKind = ~std::uint64_t{0};
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
    if (sample_slots_.size() == profiler::kMostSlots) return kNoSlot;
    sample_slots_.push_back(slot);
    return sample_slots_.size() - 1;
  };
  if (request_.entry || request_.parameters_only)
    for (Slot p = 0; p < code_.parameters; ++p)
      if (is_sampled_parameter(p)) add({true, p, 0});
  sampled_at_.assign(code_.instrs.size(), kNoSlot);
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (is_sampled(pc)) sampled_at_[pc] = add({false, pc, 0});
  if (!sample_slots_.empty()) plan_parts();
}

void FunctionLowering::plan_parts() {
  loops_ = loops_of(code_, kinds_);
  parts_.assign(loops_.loops.size(), 0);
  std::uint16_t parts = 0;
  for (SampleSlot& slot : sample_slots_) {
    const LoopId loop = slot.parameter ? kNoLoop : loops_.innermost[slot.at];
    if (loop == kNoLoop) continue;
    if (parts_[loop] == 0) parts_[loop] = ++parts;
    slot.part = parts_[loop];
  }
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

void FunctionLowering::begin_samples() {
  if (sample_slots_.empty()) return;
  llvm::BasicBlock& first = current_->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
  words_ = entry.CreateAlloca(i64_, number(sample_slots_.size()), "sampled");
  for (std::size_t i = 0; i < sample_slots_.size(); ++i) {
    seen_.push_back(entry.CreateAlloca(i64_, nullptr, "seen"));
    b_.CreateStore(sample_slots_[i].parameter ? b_.CreateLoad(i64_, tags_[sample_slots_[i].at])
                                              : number(kNoKind),
                   seen_[i]);
  }
  if (body_ == nullptr) return; // calls come to better code by themselves, but not its own ones
  set_position(request_.start, kNoCall);
  look(profiler::kLook | profiler::kLeave, 0, request_.start);
}

void FunctionLowering::keep_kind(std::size_t slot, const Typed& v) {
  if (slot < seen_.size()) b_.CreateStore(v.tag, seen_[slot]);
}

// The loop whose round ends with the current instruction.
LoopId FunctionLowering::loop_ended() const {
  const auto goes_to = [&](Pc head) {
    const code::Instr& instr = code_.instrs[pc_];
    if (const auto* const jump = std::get_if<code::Goto>(&instr)) return jump->target == head;
    const auto& branch = std::get<code::Branch>(instr);
    return branch.if_true == head || branch.if_false == head;
  };
  LoopId loop = loops_.innermost[pc_];
  while (loop != kNoLoop && !goes_to(loops_.loops[loop].head)) loop = loops_.loops[loop].parent;
  return loop;
}

// What lies in loops within this one stays out: it would be carried through its rounds.
std::uint64_t FunctionLowering::slots_around(LoopId loop) const {
  std::uint64_t given = 0;
  const auto add_part = [&](std::uint16_t part) {
    for (std::size_t i = 0; i < sample_slots_.size(); ++i)
      if (sample_slots_[i].part == part) given |= std::uint64_t{1} << i;
  };
  add_part(0);
  for (; loop != kNoLoop; loop = loops_.loops[loop].parent)
    if (parts_[loop] != 0) add_part(parts_[loop]);
  return given;
}

// The state is that before the current instruction.
void FunctionLowering::sample_round() {
  if (request_.sampled == nullptr) return;
  const LoopId loop = sample_slots_.empty() ? kNoLoop : loop_ended();
  const std::uint64_t given = slots_around(loop);
  if (m_.options.ticks != nullptr) count_tick(given, pc_);
  if (loop == kNoLoop || parts_[loop] == 0) return;
  look(profiler::wanted_of(parts_[loop]) | profiler::kLook | profiler::kLeave, given, pc_);
  for (std::size_t i = 0; loops_.loops[loop].innermost && i < sample_slots_.size(); ++i)
    if (sample_slots_[i].part == parts_[loop]) b_.CreateStore(number(kNoKind), seen_[i]);
}

void FunctionLowering::sample_return() {
  if (request_.sampled == nullptr) return;
  const std::uint64_t given = slots_around(kNoLoop);
  if (m_.options.ticks != nullptr) count_tick(given, {});
  if (given != 0) look(profiler::wanted_of(0) | profiler::kLook, given, {});
}

void FunctionLowering::count_tick(std::uint64_t given, std::optional<Pc> leaves_at) {
  llvm::Value* ticks = pointer(m_.options.ticks);
  llvm::Value* left = b_.CreateSub(load_from(i64_, ticks, Memory::Fuel), number(1));
  store_to(left, ticks, Memory::Fuel);
  ask("rt_tick", b_.CreateICmpSGE(left, number(0)), given, leaves_at);
}

// Whether something of this is requested.
void FunctionLowering::look(std::uint32_t request, std::uint64_t given,
                            std::optional<Pc> leaves_at) {
  llvm::Value* now = b_.CreateLoad(b_.getInt32Ty(), pointer(&request_.sampled->request), true);
  llvm::Value* asked = b_.CreateAnd(now, b_.getInt32(request));
  ask("rt_look", b_.CreateICmpEQ(asked, b_.getInt32(0)), given, leaves_at);
}

void FunctionLowering::ask(std::string_view name, llvm::Value* go_on, std::uint64_t given,
                           std::optional<Pc> leaves_at) {
  llvm::BasicBlock *on = block("on"), *asked = block("ask");
  b_.CreateCondBr(go_on, on, asked, m_.unlikely());
  b_.SetInsertPoint(asked);
  for (std::size_t i = 0; i < sample_slots_.size(); ++i)
    if ((given >> i & 1) != 0)
      b_.CreateStore(b_.CreateLoad(i64_, seen_[i]), b_.CreateConstGEP1_64(i64_, words_, i));
  llvm::Value* words = words_ != nullptr ? words_ : pointer(nullptr);
  llvm::Value* better = call_runtime(name, {pointer(request_.sampled), words, number(given)});
  if (!leaves_at) {
    b_.CreateBr(on);
  } else {
    llvm::BasicBlock* leave = block("stale");
    b_.CreateCondBr(b_.CreateICmpEQ(better, number(0)), on, leave, m_.unlikely());
    b_.SetInsertPoint(leave);
    leave_by("rt_resume", *leaves_at, variables(kinds_.before(*leaves_at), nullptr));
  }
  b_.SetInsertPoint(on);
}

} // namespace sourir::native
