#include "native/llvm_lowering/sample_reports.h"

#include "native/llvm_lowering/line_table.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <ranges>

namespace sourir::native {

SampleReports::SampleReports(Emitter& emitter, Variables& variables, Exits& exits)
    : e_(emitter), b_(emitter.ir), variables_(variables), exits_(exits),
      plan_(emitter.request, variables.types(),
            emitter.module.options.level > 0 && !emitter.module.options.fuel) {}

void SampleReports::begin(bool recursive) {
  if (slots().empty()) return;
  e_.set_position(e_.request.start, kOtherInstr);
  if (!plan_.reports()) {
    if (recursive || !e_.request.by_cell) poll_at_entry(recursive);
    return;
  }
  if (!e_.request.sampled->is_instrumented())
    e_.call_runtime("rt_begin_instrumented", {e_.pointer(e_.request.sampled)});
  llvm::BasicBlock& first = e_.function()->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
  buffer_ = entry.CreateAlloca(e_.i64, e_.number(slots().size()), "sampled");
  const bool keeps = e_.request.sampled->keeps_types; // from activation to activation
  for (std::size_t i = 0; i < slots().size(); ++i) {
    kept_.push_back(keeps ? e_.pointer(&e_.request.sampled->kept[i])
                          : entry.CreateAlloca(e_.i64, nullptr, "recorded"));
    if (!keeps) b_.CreateStore(e_.number(0), kept_[i]);
    if (slots()[i].parameter) keep(i, word_of(variables_.load_tag(slots()[i].at)));
  }
  if (recursive) poll({.bailout_pc = e_.request.start});
}

// Uninstrumented code.
void SampleReports::poll_at_entry(bool recursive) {
  if (e_.module.options.event_counter != nullptr) take_at_event({});
  llvm::BasicBlock *on = e_.block("on"), *requested = e_.block("ask");
  e_.branch_likely(no_request(~(profiler::kLeaveLoop | profiler::kLeaveSlow)), on, requested);
  b_.SetInsertPoint(requested);
  llvm::Value* entry = e_.call_runtime("rt_poll_entry", {e_.pointer(e_.request.sampled)});
  llvm::BasicBlock* instrumented = e_.block("instrumented");
  llvm::SwitchInst* go = b_.CreateSwitch(entry, instrumented);
  const auto on_answer = [&](profiler::Answer is, llvm::BasicBlock* block) {
    go->addCase(b_.getInt64(static_cast<std::uint64_t>(is)), block);
  };
  on_answer(profiler::Answer::GoOn, on);
  llvm::BasicBlock* const stale = recursive ? e_.block("stale") : on;
  on_answer(profiler::Answer::Leave, stale);
  b_.SetInsertPoint(instrumented);
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& a : e_.function()->args()) arguments.push_back(&a);
  llvm::CallInst* result =
      b_.CreateCall(e_.function()->getFunctionType(), b_.CreateIntToPtr(entry, e_.ptr), arguments);
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  b_.CreateRet(result);
  if (recursive) {
    b_.SetInsertPoint(stale);
    exits_.bail_out(e_.request.start, variables_.types().before(e_.request.start));
  }
  b_.SetInsertPoint(on);
}

void SampleReports::record(const TypedValue& v) {
  if (const auto slot = plan_.slot_at(e_.pc())) keep(*slot, word_of(v.tag));
}

void SampleReports::record_storage(llvm::Value* reported) {
  keep(*plan_.storage_slot_at(e_.pc()), reported);
}

llvm::Value* SampleReports::word_of(llvm::Value* tag) { return b_.CreateShl(e_.number(1), tag); }

void SampleReports::keep(std::size_t slot, llvm::Value* word) {
  if (e_.request.sampled->keeps_types || plan_.in_short_loop(slot))
    word = b_.CreateOr(b_.CreateLoad(e_.i64, kept_[slot]), word);
  b_.CreateStore(word, kept_[slot]);
}

SampleReports::Poll SampleReports::poll_at(const SamplePlan::Safepoint& safepoint) {
  Poll here{.reported = safepoint.reported, .bailout_pc = e_.pc()};
  if (safepoint.leaves_slow) here.bits = profiler::kLeaveSlow;
  if (!safepoint.polls) return here;
  if (safepoint.to_entry || !plan_.reports()) here.bits |= profiler::kLeaveLoop;
  if (plan_.reports())
    here.bits |= profiler::requested_at(polls_++);
  else if (safepoint.to_entry)
    here.bits |= profiler::kRequestedAnywhere;
  return here;
}

void SampleReports::at_back_edge() {
  if (e_.request.sampled == nullptr) return;
  const SamplePlan::Safepoint safepoint = plan_.at_back_edge(e_.pc());
  const Poll here = poll_at(safepoint);
  const Poll counted = plan_.reports() ? here : Poll{};
  if (e_.module.options.event_counter != nullptr && !safepoint.strips) {
    if (safepoint.is_short)
      count_event();
    else
      take_at_event(counted);
  }
  if (here.bits != 0) poll(here);
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if ((here.reported >> i & 1) != 0 && plan_.in_short_loop(i))
      b_.CreateStore(e_.number(0), kept_[i]);
}

void SampleReports::between_strips() {
  const Poll here = poll_at(plan_.between_strips(e_.pc()));
  if (e_.module.options.event_counter != nullptr) take_at_event({});
  poll(here);
}

void SampleReports::at_return() {
  if (e_.request.sampled == nullptr || !plan_.reports()) return;
  Poll here{.reported = plan_.at_return(), .bits = profiler::kRequestedAtReturn};
  if (e_.module.options.event_counter != nullptr) take_at_event(here);
  const bool for_samples = !e_.request.sampled->is_instrumented();
  if (for_samples) here.bits |= profiler::kLeaveLoop; // the runtime learns how long it took
  if (here.reported != 0 || for_samples) poll(here);
}

// The deterministic trigger: counts down the events until the next sample; negative: one is due.
llvm::Value* SampleReports::count_event() {
  llvm::Value* events = e_.pointer(e_.module.options.event_counter);
  llvm::Value* left = b_.CreateSub(e_.load(e_.i64, events, Memory::Fuel), e_.number(1));
  e_.store(left, events, Memory::Fuel);
  return left;
}

void SampleReports::take_at_event(const Poll& poll) {
  ask("rt_take_sample", b_.CreateICmpSGE(count_event(), e_.number(0)), poll);
}

void SampleReports::poll(const Poll& poll) {
  const std::uint32_t newer =
      profiler::kPollRuntime | (poll.bailout_pc ? profiler::kBailOut : std::uint32_t{0});
  ask(plan_.reports() ? "rt_poll_sample" : "rt_poll_loop", no_request(poll.bits | newer), poll);
}

llvm::Value* SampleReports::no_request(std::uint32_t bits) {
  llvm::Value* word =
      b_.CreateLoad(b_.getInt32Ty(), e_.pointer(&e_.request.sampled->request), true);
  return b_.CreateICmpEQ(b_.CreateAnd(word, b_.getInt32(bits)), b_.getInt32(0));
}

void SampleReports::ask(std::string_view runtime_call, llvm::Value* no_request, const Poll& poll) {
  llvm::BasicBlock *on = e_.block("on"), *requested = e_.block("ask");
  e_.branch_likely(no_request, on, requested);
  b_.SetInsertPoint(requested);
  llvm::Value* answer =
      e_.call_runtime(runtime_call, {e_.pointer(e_.request.sampled), e_.number(poll.bits)});
  llvm::SwitchInst* go = b_.CreateSwitch(answer, on);
  const auto on_answer = [&](profiler::Answer is, const char* name) {
    llvm::BasicBlock* block = e_.block(name);
    go->addCase(b_.getInt64(static_cast<std::uint64_t>(is)), block);
    b_.SetInsertPoint(block);
  };
  if (poll.bailout_pc) {
    on_answer(profiler::Answer::Leave, "stale");
    exits_.bail_out(*poll.bailout_pc, variables_.types().before(*poll.bailout_pc));
  }
  if (poll.reported != 0) {
    on_answer(profiler::Answer::Sample, "sample");
    report(poll.reported);
    b_.CreateBr(on);
  }
  b_.SetInsertPoint(on);
}

void SampleReports::report(SamplePlan::SlotSet reported) {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const bool kept = (reported >> i & 1) != 0;
    b_.CreateStore(kept ? b_.CreateLoad(e_.i64, kept_[i]) : e_.number(0),
                   b_.CreateConstGEP1_64(e_.i64, buffer_, i));
  }
  e_.call_runtime("rt_report_sample", {e_.pointer(e_.request.sampled), buffer_});
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (e_.request.sampled->keeps_types && (reported >> i & 1) != 0)
      b_.CreateStore(e_.number(0), kept_[i]);
}

// --- The plan ---

namespace {

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

SamplePlan::SamplePlan(const CompileRequest& request, const TypeFlow& types, bool strips)
    : request_(request), code_(*request.code), types_(types) {
  if (request.sampled == nullptr) return;
  find_slots();
  if (slots_.empty()) return;
  find_loops();
  leave_short_loops();
  find_strips(strips);
}

void SamplePlan::find_slots() {
  const auto add = [&](SampleSlot slot) {
    if (slots_.size() < profiler::kMostSlots) slots_.push_back(slot);
  };
  if (request_.entry || request_.parameters_only)
    for (Slot p = 0; p < code_.parameters; ++p)
      if (parameter_needs_slot(p)) add({true, p});
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (needs_slot(pc)) add({false, pc});
  for (const Pc pc : request_.sampled_storages)
    if (needs_storage_slot(pc)) add({.at = pc, .storage = true});
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
  for (const Pc pc : request_.sampled_storages)
    if (needs_storage_slot(pc)) polling_.try_emplace(loops_.at(pc));
}

// Inner loops first. Code for OSR polls in its outermost loops: it is entered once.
void SamplePlan::leave_short_loops() {
  std::set<std::pair<std::size_t, Pc>> by_depth;
  for (const Pc pc : request_.leave_soon) {
    if (!types_.reached(pc)) continue;
    const auto& branch = std::get<resolved::Branch>(code_.instrs[pc]);
    const Pc loop = loops_.at(pc);
    if (loop == kNoLoop || (loops_.lies_in(loops_.at(branch.if_true), loop) &&
                            loops_.lies_in(loops_.at(branch.if_false), loop)))
      continue;
    std::size_t depth = 0;
    for (Pc outer = loops_.parent(loop); outer != kNoLoop; outer = loops_.parent(outer)) ++depth;
    if (depth > 0 || !request_.at_loop) by_depth.emplace(depth, loop);
  }
  for (const auto& [depth, loop] : std::views::reverse(by_depth)) leave_to_outer_loop(loop);
}

void SamplePlan::find_strips(bool strips) {
  const std::map<Pc, CountedLoop> counted = counted_loops(request_, types_, loops_);
  for (const auto& [head, loop] : counted)
    if (loop.is_short) leave_to_outer_loop(head);
  for (const auto& [head, loop] : counted)
    if (strips && !reports() && polling_.contains(head)) strips_.emplace(head, loop);
}

// Its slots are those of the loop around it, or of the code outside loops.
void SamplePlan::leave_to_outer_loop(Pc loop) {
  const auto found = polling_.find(loop);
  if (found == polling_.end()) return;
  short_.insert(loop);
  const Pc outer = loops_.parent(loop);
  std::set<Slot> read = std::move(found->second);
  polling_.erase(found);
  if (outer != kNoLoop) polling_[outer].merge(read);
  std::ranges::replace(slot_loops_, loop, outer);
}

std::optional<std::size_t> SamplePlan::slot_at(Pc pc) const { return find_slot(pc, false); }

std::optional<std::size_t> SamplePlan::storage_slot_at(Pc pc) const { return find_slot(pc, true); }

std::optional<std::size_t> SamplePlan::find_slot(Pc pc, bool storage) const {
  if (!reports()) return {};
  const auto at = std::ranges::find_if(slots_, [&](const SampleSlot& slot) {
    return slot.at == pc && slot.storage == storage && !slot.parameter;
  });
  if (at == slots_.end()) return {};
  return at - slots_.begin();
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
  if (!types_.reached(pc)) return false;
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

bool SamplePlan::needs_storage_slot(Pc pc) const {
  const std::optional<Slot> array = accessed_array(code_.instrs[pc]);
  if (!array || !types_.reached(pc)) return false;
  const TypeFlow::State& before = types_.before(pc);
  return may(before[*array], Tag::Array) && !single(TypeFlow::elements(before, *array));
}

// Kept tags of the loop itself, and those outside it that it reads: they are live there. Tags of
// others would have to be kept alive through its iterations.
SamplePlan::SlotSet SamplePlan::kept_in(Pc loop) const {
  SlotSet set = 0;
  if (!reports()) return set;
  const auto found = polling_.find(loop);
  for (std::size_t i = 0; i < slot_loops_.size(); ++i) {
    const SampleSlot& slot = slots_[i];
    const std::optional<Slot> x = slot.parameter ? slot.at
                                  : slot.storage ? std::nullopt
                                                 : bound_by(code_.instrs[slot.at]);
    const bool read = x && found != polling_.end() && found->second.contains(*x) &&
                      loops_.lies_in(loop, slot_loops_[i]);
    if (slot_loops_[i] == loop || read) set |= SlotSet{1} << i;
  }
  return set;
}

bool SamplePlan::in_short_loop(std::size_t slot) const {
  return !slots_[slot].parameter && short_.contains(loops_.at(slots_[slot].at));
}

bool SamplePlan::leads_to_entry(Pc head) const {
  return request_.at_loop && loops_.parent(head) == kNoLoop;
}

const CountedLoop* SamplePlan::strips(Pc head) const {
  const auto found = strips_.find(head);
  return found == strips_.end() ? nullptr : &found->second;
}

// A back edge iterates the innermost loop with both positions.
SamplePlan::Safepoint SamplePlan::at_back_edge(Pc pc) const {
  Safepoint safepoint;
  const bool may_skip_poll = std::ranges::binary_search(request_.without_polls, pc);
  const auto goes_to = [&](Pc to) {
    const Pc loop = to <= pc ? loops_.common(pc, to) : kNoLoop;
    if (loop == kNoLoop) return;
    safepoint.strips |= strips_.contains(loop);
    safepoint.is_short |= short_.contains(loop);
    if (strips_.contains(loop)) return;
    safepoint.reported |= kept_in(loop);
    safepoint.polls |= polling_.contains(loop) && (reports() || !may_skip_poll);
    safepoint.leaves_slow |= reports() && request_.sampled->instrumented_is_slow;
    safepoint.to_entry |= leads_to_entry(loop);
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

SamplePlan::Safepoint SamplePlan::between_strips(Pc head) const {
  return {.polls = true, .to_entry = leads_to_entry(head)};
}

} // namespace sourir::native
