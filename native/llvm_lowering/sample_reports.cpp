#include "native/llvm_lowering/sample_reports.h"

#include "native/llvm_lowering/line_table.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::uint64_t kNoTag = ~std::uint64_t{0};

} // namespace

SampleReports::SampleReports(Emitter& emitter, Variables& variables, Exits& exits)
    : e_(emitter), b_(emitter.ir), variables_(variables), exits_(exits),
      plan_(emitter.request, variables.types()) {}

void SampleReports::begin(bool polls) {
  if (slots().empty()) return;
  llvm::BasicBlock& first = e_.function()->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
  buffer_ = entry.CreateAlloca(e_.i64, e_.number(slots().size()), "sampled");
  for (const SampleSlot& slot : slots()) {
    tags_.push_back(entry.CreateAlloca(e_.i64, nullptr, "recorded"));
    b_.CreateStore(slot.parameter ? variables_.load_tag(slot.at) : e_.number(kNoTag), tags_.back());
  }
  if (!polls) return;
  e_.set_position(e_.request.start, kOtherInstr);
  poll({.bailout_pc = e_.request.start}, profiler::kPollRuntime | profiler::kBailOut);
}

void SampleReports::record(const TypedValue& v) {
  if (const auto slot = plan_.slot_at(e_.pc())) b_.CreateStore(v.tag, tags_[*slot]);
}

void SampleReports::at_back_edge() {
  if (e_.request.sampled == nullptr) return;
  const SamplePlan::Safepoint safepoint = plan_.at_back_edge(e_.pc());
  Poll here{.reported = safepoint.reported, .bailout_pc = e_.pc()};
  if (safepoint.polls) here.bits = profiler::requested_at(polling_back_edges_++);
  if (e_.module.options.event_counter != nullptr) count_event(here);
  if (safepoint.polls) poll(here, profiler::kPollRuntime | profiler::kBailOut);
}

void SampleReports::at_return() {
  if (e_.request.sampled == nullptr) return;
  const Poll here{.reported = plan_.at_return(), .bits = profiler::kRequestedAtReturn};
  if (e_.module.options.event_counter != nullptr) count_event(here);
  if (here.reported != 0) poll(here, profiler::kPollRuntime);
}

// The deterministic trigger.
void SampleReports::count_event(const Poll& poll) {
  llvm::Value* events = e_.pointer(e_.module.options.event_counter);
  llvm::Value* left = b_.CreateSub(e_.load(e_.i64, events, Memory::Fuel), e_.number(1));
  e_.store(left, events, Memory::Fuel);
  report("rt_take_sample", b_.CreateICmpSGE(left, e_.number(0)), poll);
}

void SampleReports::poll(const Poll& poll, std::uint32_t also) {
  llvm::Value* word =
      b_.CreateLoad(b_.getInt32Ty(), e_.pointer(&e_.request.sampled->request), true);
  llvm::Value* requested = b_.CreateAnd(word, b_.getInt32(poll.bits | also));
  report("rt_answer_sample", b_.CreateICmpEQ(requested, b_.getInt32(0)), poll);
}

void SampleReports::report(std::string_view runtime_call, llvm::Value* no_request,
                           const Poll& poll) {
  llvm::BasicBlock *on = e_.block("on"), *requested = e_.block("ask");
  e_.branch_likely(no_request, on, requested);
  b_.SetInsertPoint(requested);
  for (std::size_t i = 0; i < tags_.size(); ++i)
    if ((poll.reported >> i & 1) != 0)
      b_.CreateStore(b_.CreateLoad(e_.i64, tags_[i]), b_.CreateConstGEP1_64(e_.i64, buffer_, i));
  llvm::Value* words = buffer_ != nullptr ? buffer_ : e_.pointer(nullptr);
  llvm::Value* newer =
      e_.call_runtime(runtime_call, {e_.pointer(e_.request.sampled), words,
                                     e_.number(poll.reported), e_.number(poll.bits)});
  if (!poll.bailout_pc) {
    b_.CreateBr(on);
  } else {
    llvm::BasicBlock* stale = e_.block("stale");
    e_.branch_likely(b_.CreateICmpEQ(newer, e_.number(0)), on, stale);
    b_.SetInsertPoint(stale);
    exits_.bail_out(*poll.bailout_pc, variables_.types().before(*poll.bailout_pc));
  }
  b_.SetInsertPoint(on);
}

// --- The plan ---

namespace {

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

SamplePlan::SamplePlan(const CompileRequest& request, const TypeFlow& types)
    : request_(request), code_(*request.code), types_(types) {
  if (request.sampled == nullptr) return;
  find_slots();
  if (!slots_.empty()) find_loops();
}

void SamplePlan::find_slots() {
  const auto add = [&](SampleSlot slot) {
    if (slots_.size() == profiler::kMostSlots) return kNoSlot;
    slots_.push_back(slot);
    return slots_.size() - 1;
  };
  if (request_.entry || request_.parameters_only)
    for (Slot p = 0; p < code_.parameters; ++p)
      if (parameter_needs_slot(p)) add({true, p});
  slot_at_.assign(code_.instrs.size(), kNoSlot);
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (needs_slot(pc)) slot_at_[pc] = add({false, pc});
}

void SamplePlan::find_loops() {
  std::vector<bool> reached(code_.instrs.size());
  for (Pc pc = 0; pc < reached.size(); ++pc) reached[pc] = types_.reached(pc);
  loops_ = ResolvedLoops(code_, request_.start, reached);
  for (const SampleSlot& slot : slots_)
    slot_loops_.push_back(slot.parameter ? kNoLoop : loops_.at(slot.at));
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
    if (!types_.reached(pc)) continue;
    const auto collect = [&](Slot x) {
      if (!single(types_.before(pc)[x])) polling_[loops_.at(pc)].insert(x);
      return false;
    };
    reads(code_.instrs[pc], collect);
    if (needs_slot(pc)) polling_.try_emplace(loops_.at(pc));
  }
}

std::optional<std::size_t> SamplePlan::slot_at(Pc pc) const {
  if (pc >= slot_at_.size() || slot_at_[pc] == kNoSlot) return {};
  return slot_at_[pc];
}

// Whether an instruction reads it where its type is not known. Guards narrow it and do not count.
bool SamplePlan::parameter_needs_slot(Slot p) const {
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (types_.reached(pc) && !single(types_.before(pc)[p]) &&
        reads(code_.instrs[pc], [&](Slot x) { return x == p; }))
      return true;
  return false;
}

// Copies of variables have no slot: the original may have one.
bool SamplePlan::needs_slot(Pc pc) const {
  if (!types_.reached(pc) || types_.never_executed(pc)) return false;
  const auto computed = [&](const resolved::Expr& e) {
    return e.shape != resolved::Shape::Simple &&
           !single(types_.speculated(pc, TypeFlow::of(e, types_.before(pc))));
  };
  const bool any = !single(types_.speculated(pc, kAnyType));
  const resolved::Instr& instr = code_.instrs[pc];
  if (const auto* decl = std::get_if<resolved::Decl>(&instr)) return decl->e && computed(*decl->e);
  if (const auto* assign = std::get_if<resolved::Assign>(&instr)) return computed(assign->e);
  return any && (std::holds_alternative<resolved::Call>(instr) ||
                 std::holds_alternative<resolved::Read>(instr));
}

// The slots of the loop itself, and those outside it that it reads: their tags are live there. Tags
// of others would have to be kept alive through its iterations.
SamplePlan::SlotSet SamplePlan::of_loop(Pc loop) const {
  SlotSet set = 0;
  const auto found = polling_.find(loop);
  for (std::size_t i = 0; i < slot_loops_.size(); ++i) {
    const SampleSlot& slot = slots_[i];
    const std::optional<Slot> x = slot.parameter ? slot.at : bound_by(code_.instrs[slot.at]);
    const bool read = x && found != polling_.end() && found->second.contains(*x) &&
                      loops_.lies_in(loop, slot_loops_[i]);
    if (slot_loops_[i] == loop || read) set |= SlotSet{1} << i;
  }
  return set;
}

// A back edge iterates the innermost loop with both positions.
SamplePlan::Safepoint SamplePlan::at_back_edge(Pc pc) const {
  Safepoint safepoint;
  const auto goes_to = [&](Pc to) {
    const Pc loop = to <= pc ? loops_.common(pc, to) : kNoLoop;
    if (loop == kNoLoop) return;
    safepoint.reported |= of_loop(loop);
    safepoint.polls |= polling_.contains(loop);
  };
  if (slots_.empty()) return safepoint;
  if (const auto* const jump = std::get_if<resolved::Goto>(&code_.instrs[pc])) {
    goes_to(jump->target);
  } else {
    const auto& branch = std::get<resolved::Branch>(code_.instrs[pc]);
    goes_to(branch.if_true);
    goes_to(branch.if_false);
  }
  return safepoint;
}

} // namespace sourir::native
