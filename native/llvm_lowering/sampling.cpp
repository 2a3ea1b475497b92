// Code that is sampled: it looks at ends of rounds and where it returns whether a sample is wanted
// (profiler/sampled_code.h), or whether there is better code, and only then says of what kinds its
// values are that it does not know statically. Those are kept where LLVM likes best, mostly in the
// registers where they are anyway. Code, and loops, whose kinds are all known do not look, unless
// samples are to be the same in each run.
#include "native/llvm_lowering/function_lowering.h"
#include "native/llvm_lowering/line_table.h"
#include "native/runtime/binding.h"

#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::uint64_t kNoKind = ~std::uint64_t{0};
constexpr std::size_t kNoSlot = ~std::size_t{0};

// Whether `is` holds for a slot that the instruction reads.
bool reads(const resolved::Instr& instr, auto&& is) {
  const auto slot = [&](Slot x) { return x != resolved::kLiteral && is(x); };
  const auto in = [&](const resolved::Expr& e) { return slot(e.a.slot) || slot(e.b.slot); };
  return match(
      instr, [&](const resolved::Decl& i) { return i.e && in(*i.e); },
      [](const resolved::Drop&) { return false; },
      [&](const resolved::Assign& i) { return in(i.e); },
      [&](const resolved::ArrayDecl& i) { return in(i.length); },
      [&](const resolved::ArrayDef& i) { return std::ranges::any_of(i.elements, in); },
      [&](const resolved::ArrayUpdate& i) { return slot(i.x) || in(i.index) || in(i.value); },
      [&](const resolved::Branch& i) { return in(i.e); },
      [](const resolved::Goto&) { return false; },
      [&](const resolved::Print& i) { return in(i.e); },
      [](const resolved::Read&) { return false; },
      [&](const resolved::Assert& i) { return in(i.e); },
      [&](const resolved::Call& i) { return in(i.callee) || std::ranges::any_of(i.arguments, in); },
      [&](const resolved::Return& i) { return in(i.e); },
      [&](const resolved::Stop& i) { return in(i.e); },
      [](const resolved::Assume&) { return false; }, [](const resolved::Anchor&) { return false; },
      [](const resolved::GuardHint&) { return false; });
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
      if (is_sampled_parameter(p)) add({true, p});
  sampled_at_.assign(code_.instrs.size(), kNoSlot);
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (is_sampled(pc)) sampled_at_[pc] = add({false, pc});
  if (!sample_slots_.empty()) plan_loops();
}

// A loop in which all kinds are known does not look.
void FunctionLowering::plan_loops() {
  std::vector<bool> reached(code_.instrs.size());
  for (Pc pc = 0; pc < reached.size(); ++pc) reached[pc] = kinds_.reached(pc);
  loops_ = ResolvedLoops(code_, request_.start, reached);
  for (const SampleSlot& slot : sample_slots_)
    slot_loops_.push_back(slot.parameter ? kNoLoop : loops_.at(slot.at));
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
    if (!kinds_.reached(pc)) continue;
    const auto note = [&](Slot x) {
      if (!single(kinds_.before(pc)[x])) looking_[loops_.at(pc)].insert(x);
      return false;
    };
    reads(code_.instrs[pc], note);
    if (is_sampled(pc)) looking_.try_emplace(loops_.at(pc));
  }
}

// Whether an instruction uses it where its kind is not known. (Guards come first, and tell it.)
bool FunctionLowering::is_sampled_parameter(Slot p) const {
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (kinds_.reached(pc) && !single(kinds_.before(pc)[p]) &&
        reads(code_.instrs[pc], [&](Slot x) { return x == p; }))
      return true;
  return false;
}

// Copies of variables have the kind of what they are copies of.
bool FunctionLowering::is_sampled(Pc pc) const {
  if (!kinds_.reached(pc) || kinds_.unseen(pc)) return false;
  const auto computed = [&](const resolved::Expr& e) {
    return e.shape != resolved::Shape::Simple &&
           !single(kinds_.believed(pc, Kinds::of(e, kinds_.before(pc))));
  };
  const bool any = !single(kinds_.believed(pc, kAnyType));
  const resolved::Instr& instr = code_.instrs[pc];
  if (const auto* decl = std::get_if<resolved::Decl>(&instr)) return decl->e && computed(*decl->e);
  if (const auto* assign = std::get_if<resolved::Assign>(&instr)) return computed(assign->e);
  return any && (std::holds_alternative<resolved::Call>(instr) ||
                 std::holds_alternative<resolved::Read>(instr));
}

// Where code looks: what it can say there, and which bits of the request stand for the place.
struct FunctionLowering::SamplePlace {
  std::uint64_t given = 0;
  std::uint32_t bits = 0;
  std::optional<Pc> leaves_at; // where it goes on in the baseline if there is better code
};

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
  look({.leaves_at = request_.start}, profiler::kLook | profiler::kLeave);
}

void FunctionLowering::keep_kind(std::size_t slot, const Typed& v) {
  if (slot < seen_.size()) b_.CreateStore(v.tag, seen_[slot]);
}

// Its own slots, and those outside that it reads: their kinds are at hand. Others would have to be
// carried through its rounds.
void FunctionLowering::add_loop(SamplePlace& place, Pc loop) const {
  const auto found = looking_.find(loop);
  for (std::size_t i = 0; i < slot_loops_.size(); ++i) {
    const SampleSlot& slot = sample_slots_[i];
    const std::optional<Slot> x = slot.parameter ? slot.at : bound_by(code_.instrs[slot.at]);
    const bool read = x && found != looking_.end() && found->second.contains(*x) &&
                      loops_.lies_in(loop, slot_loops_[i]);
    if (slot_loops_[i] == loop || read) place.given |= std::uint64_t{1} << i;
  }
}

// The state is that before the current instruction, which may go back: what it ends are rounds of
// the loops that both places lie in.
void FunctionLowering::sample_round() {
  if (request_.sampled == nullptr) return;
  SamplePlace place{.leaves_at = pc_};
  bool looks = false;
  const auto goes_to = [&](Pc to) {
    const Pc loop = to <= pc_ ? loops_.common(pc_, to) : kNoLoop;
    if (loop == kNoLoop) return;
    add_loop(place, loop);
    looks |= looking_.contains(loop);
  };
  if (!sample_slots_.empty()) {
    if (const auto* const jump = std::get_if<resolved::Goto>(&code_.instrs[pc_])) {
      goes_to(jump->target);
    } else {
      const auto& branch = std::get<resolved::Branch>(code_.instrs[pc_]);
      goes_to(branch.if_true), goes_to(branch.if_false);
    }
  }
  if (looks) place.bits = profiler::wanted_in(places_++);
  if (m_.options.ticks != nullptr) count_tick(place);
  if (looks) look(place, profiler::kLook | profiler::kLeave);
}

void FunctionLowering::sample_return() {
  if (request_.sampled == nullptr) return;
  SamplePlace place{.bits = profiler::kWantedAtReturn};
  add_loop(place, kNoLoop);
  if (m_.options.ticks != nullptr) count_tick(place);
  if (place.given != 0) look(place, profiler::kLook);
}

void FunctionLowering::count_tick(const SamplePlace& place) {
  llvm::Value* ticks = pointer(m_.options.ticks);
  llvm::Value* left = b_.CreateSub(load_from(i64_, ticks, Memory::Fuel), number(1));
  store_to(left, ticks, Memory::Fuel);
  ask("rt_tick", b_.CreateICmpSGE(left, number(0)), place);
}

void FunctionLowering::look(const SamplePlace& place, std::uint32_t also) {
  llvm::Value* now = b_.CreateLoad(b_.getInt32Ty(), pointer(&request_.sampled->request), true);
  llvm::Value* asked = b_.CreateAnd(now, b_.getInt32(place.bits | also));
  ask("rt_look", b_.CreateICmpEQ(asked, b_.getInt32(0)), place);
}

void FunctionLowering::ask(std::string_view name, llvm::Value* go_on, const SamplePlace& place) {
  llvm::BasicBlock *on = block("on"), *asked = block("ask");
  b_.CreateCondBr(go_on, on, asked, m_.unlikely());
  b_.SetInsertPoint(asked);
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if ((place.given >> i & 1) != 0)
      b_.CreateStore(b_.CreateLoad(i64_, seen_[i]), b_.CreateConstGEP1_64(i64_, words_, i));
  llvm::Value* words = words_ != nullptr ? words_ : pointer(nullptr);
  llvm::Value* better = call_runtime(
      name, {pointer(request_.sampled), words, number(place.given), number(place.bits)});
  if (!place.leaves_at) {
    b_.CreateBr(on);
  } else {
    llvm::BasicBlock* leave = block("stale");
    b_.CreateCondBr(b_.CreateICmpEQ(better, number(0)), on, leave, m_.unlikely());
    b_.SetInsertPoint(leave);
    leave_by("rt_resume", *place.leaves_at, variables(kinds_.before(*place.leaves_at), nullptr));
  }
  b_.SetInsertPoint(on);
}

} // namespace sourir::native
