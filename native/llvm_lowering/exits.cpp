#include "native/llvm_lowering/exits.h"

#include "native/llvm_lowering/line_table.h"

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <utility>

namespace sourir::native {

namespace {

// Whether an instruction has an effect: not re-executable.
bool has_effect(const resolved::Instr& instr, bool forced_exits) {
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
      [&](const resolved::Assume&) { return forced_exits; },
      [&](const resolved::Anchor&) { return forced_exits; },
      [](const resolved::GuardHint&) { return false; });
}

// The slots that the frames of an exit and its deferred instructions read, by slot. Variables that
// the deferred instructions declare are no slots of this version.
std::vector<bool> slots_used_by(const resolved::Exit& exit, std::size_t slots) {
  std::vector<bool> used(slots);
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

// The slots that the guards of an assume read.
void add_guards(std::vector<bool>& used, const resolved::Instr& instr) {
  const auto* const assume = std::get_if<resolved::Assume>(&instr);
  if (assume == nullptr) return;
  for (const resolved::Expr& guard : assume->guards)
    for (const resolved::Operand& o : {guard.a, guard.b})
      if (o.slot < used.size()) used[o.slot] = true;
}

} // namespace

Exits::Exits(Emitter& emitter, Variables& variables)
    : e_(emitter), b_(emitter.ir), variables_(variables) {}

void Exits::allocate() {
  if (variables_.memory() != nullptr) bailout_pc_ = b_.CreateAlloca(e_.i64, nullptr, "bailout_pc");
}

void Exits::start_instruction(Pc pc, bool begins_block) {
  const bool alone = variables_.memory() != nullptr;
  if (begins_block || alone || begins_region(pc)) begin_region(pc, begins_block);
}

// The instruction before a position where fuel is counted is done: its region ends.
bool Exits::begins_region(Pc pc) const {
  if (pc == 0 || has_effect(e_.code.instrs[pc - 1], e_.module.options.forced_exits)) return true;
  if (!e_.module.options.fuel) return false;
  const resolved::Instr& i = e_.code.instrs[pc];
  return std::holds_alternative<resolved::Call>(i) || is_back_edge(i, pc);
}

// Whether exits are dropped; then `block` ends the run.
bool Exits::drops(llvm::BasicBlock* block) {
  if (!e_.module.options.drops_exits) return false;
  b_.SetInsertPoint(block);
  e_.call_runtime("rt_dropped_exit", {});
  b_.CreateUnreachable();
  return true;
}

void Exits::begin_region(Pc pc, bool begins_block) {
  if (!begins_block && pc != 0) e_.markers.executed_through(b_, pc - 1);
  e_.markers.begin_region(pc);
  end_region();
  if (!std::ranges::all_of(*b_.GetInsertBlock(), is_marker)) {
    llvm::BasicBlock* next = e_.block("region");
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }
  region_ = pc;
  region_block_ = b_.GetInsertBlock();
}

void Exits::end_region() {
  const std::vector<Pc> guards = std::exchange(guards_, {});
  if (bailout_ == nullptr) return;
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (drops(bailout_)) {
    bailout_ = nullptr;
    return;
  }
  b_.SetInsertPoint(region_block_, region_block_->getFirstInsertionPt());
  e_.set_position(region_, kOtherInstr);
  const auto values = variables_.snapshot(variables_.types().before(region_), nullptr);
  b_.SetInsertPoint(bailout_);
  for (const Pc pc : guards) record(NativeExit::Kind::Exit, pc, values);
  record(NativeExit::Kind::Bailout, region_, values);
  e_.markers.bails_out(bailout_, region_);
  e_.markers.lowered(b_, profiler::Event::Bailout, region_);
  call_exit_handler("rt_bailout", region_, values);
  bailout_ = nullptr;
}

llvm::BasicBlock* Exits::bailout() {
  if (bailout_ == nullptr) bailout_ = e_.block("bailout");
  return bailout_;
}

void Exits::require(const TypedValue& v, Tag tag) {
  if (only(v.types, tag)) return;
  if (may(v.types, tag)) return e_.unless(e_.is(v, tag), bailout());
  b_.CreateBr(bailout());
  b_.SetInsertPoint(e_.block("never"));
}

TypedValue Exits::checked(llvm::Value* result, TypeSet types) {
  TypedValue v{b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), types};
  e_.unless(b_.CreateICmpNE(v.tag, e_.number(kNoValue)), bailout());
  if (const std::optional<Tag> tag = single(types)) v.tag = e_.tag(*tag);
  return v;
}

TypedValue Exits::checked_as(llvm::Value* result, Tag type) {
  TypedValue v{b_.CreateExtractValue(result, 0), b_.CreateExtractValue(result, 1), kAnyType};
  e_.unless(e_.is(v, type), bailout()); // kNoValue is no type
  return {v.bits, e_.tag(type), type_set(type)};
}

llvm::BasicBlock* Exits::deoptimization(const resolved::Exit& exit) {
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  llvm::BasicBlock* block = e_.block("deopt");
  if (drops(block)) return block;
  b_.SetInsertPoint(block);
  std::vector<bool> used = slots_used_by(exit, e_.code.slots.size());
  if (e_.module.options.guard_values) add_guards(used, e_.code.instrs[e_.pc()]);
  const auto values = variables_.snapshot(variables_.types().before(e_.pc()), &used);
  record(NativeExit::Kind::Exit, e_.pc(), values);
  if (e_.pc() != 0) e_.markers.executed_through_here(b_, e_.pc() - 1); // the runtime counts exits
  call_exit_handler("rt_deoptimize", e_.pc(), values);
  return block;
}

void Exits::forced_exit(llvm::BasicBlock* block) {
  llvm::Value* until = e_.pointer(e_.module.host.until_asked);
  llvm::Value* left = b_.CreateSub(e_.load(e_.i64, until, Memory::Asked), e_.number(1));
  e_.store(left, until, Memory::Asked);
  llvm::BasicBlock *ask = e_.block("ask"), *on = e_.block("on");
  e_.branch_likely(b_.CreateICmpNE(left, e_.number(0)), on, ask);
  b_.SetInsertPoint(ask);
  llvm::Value* asked =
      e_.call_runtime("rt_opportunity", {e_.pointer(&e_.code), e_.number(e_.pc())});
  e_.store(b_.CreateLShr(asked, 1), until, Memory::Asked);
  llvm::Value* taken = b_.CreateTrunc(asked, b_.getInt1Ty());
  e_.branch_likely(b_.CreateNot(taken), on, block);
  b_.SetInsertPoint(on);
}

void Exits::bail_out(Pc pc, const TypeFlow::State& types, NativeExit::Kind kind) {
  if (drops(b_.GetInsertBlock())) return;
  const auto values = variables_.snapshot(types, nullptr);
  record(kind, pc, values);
  e_.lowered(profiler::Event::Bailout);
  call_exit_handler("rt_bailout", pc, values);
}

void Exits::tier_up_at_header() {
  const Pc head = e_.pc();
  const auto loop = std::ranges::lower_bound(e_.request.tier_up_loops, head, {}, &TierUpLoop::head);
  if (loop == e_.request.tier_up_loops.end() || loop->head != head) return;
  llvm::Value* ready = b_.CreateLoad(e_.i64, e_.pointer(loop->ready), true);
  llvm::BasicBlock *on = e_.block("on"), *exit = e_.block("tier_up");
  e_.branch_likely(b_.CreateICmpEQ(ready, e_.number(0)), on, exit);
  b_.SetInsertPoint(exit);
  const auto values = variables_.snapshot(variables_.types().before(head), nullptr);
  record(NativeExit::Kind::Bailout, head, values);
  e_.lowered(profiler::Event::TierUp);
  call_exit_handler("rt_tier_up", head, values);
  b_.SetInsertPoint(on);
}

void Exits::count_fuel() {
  if (!e_.module.options.fuel) return;
  llvm::Value* fuel = e_.pointer(e_.module.host.fuel);
  llvm::Value* left = b_.CreateSub(e_.load(e_.i64, fuel, Memory::Fuel), e_.number(1));
  e_.store(left, fuel, Memory::Fuel);
  llvm::BasicBlock* none = e_.block("out_of_fuel");
  e_.unless(b_.CreateICmpSGE(left, e_.number(0)), none);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(none);
  const std::vector<llvm::Value*> arguments{e_.pointer(&e_.code), e_.number(e_.pc())};
  const auto values = variables_.snapshot(variables_.types().before(e_.pc()), nullptr);
  record(NativeExit::Kind::OutOfFuel, e_.pc(), values);
  if (e_.pc() != 0) e_.markers.executed_through_here(b_, e_.pc() - 1);
  if (variables_.memory() == nullptr)
    e_.call_stub("rt_out_of_fuel", arguments, values);
  else
    call_with_memory("rt_out_of_fuel", arguments);
  b_.CreateUnreachable();
}

// The activation returns the result of the runtime function: for code for calls, that of the rest
// of the activation, which the runtime has run; for OSR code, kDeoptimized, its frames
// materialized.
void Exits::call_exit_handler(std::string name, Pc pc, const std::vector<TypedValue>& values) {
  if (!e_.request.entry) name += "_osr";
  // For a stack walk the activation has no frame any more: its return address is of no call.
  e_.set_position(pc, kOtherInstr);
  const bool in_memory = variables_.memory() != nullptr;
  if (in_memory && name.starts_with("rt_bailout")) return bail_out_from_memory(name, pc);
  const std::vector<llvm::Value*> arguments{variables_.depth(), e_.pointer(&e_.code),
                                            e_.number(pc)};
  b_.CreateRet(in_memory ? call_with_memory(name, arguments)
                         : e_.call_stub(name, arguments, values));
}

// One return for all bailouts: LLVM takes long for returns of two values.
void Exits::bail_out_from_memory(const std::string& name, Pc pc) {
  b_.CreateStore(e_.number(pc), bailout_pc_);
  if (shared_bailout_ != nullptr) {
    b_.CreateBr(shared_bailout_);
    return;
  }
  shared_bailout_ = e_.block("bailout_all");
  b_.CreateBr(shared_bailout_);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(shared_bailout_);
  llvm::Value* at = b_.CreateLoad(e_.i64, bailout_pc_);
  b_.CreateRet(call_with_memory(name, {variables_.depth(), e_.pointer(&e_.code), at}));
}

llvm::CallInst* Exits::call_with_memory(std::string_view name,
                                        std::vector<llvm::Value*> arguments) {
  arguments.push_back(variables_.memory());
  return e_.call_runtime(name, std::move(arguments));
}

void Exits::record(NativeExit::Kind kind, Pc pc, const std::vector<TypedValue>& values) {
  if (e_.module.exits == nullptr) return;
  NativeExit exit{.kind = kind, .at = pc, .in_memory = variables_.memory() != nullptr};
  exit.slots = static_cast<std::uint32_t>(e_.code.slots.size());
  for (Slot s = 0; s < values.size(); ++s)
    if (!llvm::isa<llvm::PoisonValue>(values[s].bits) && !only(values[s].types, Tag::Unbound))
      exit.sent.push_back({s, values[s].types});
  e_.module.exits->push_back(std::move(exit));
}

} // namespace sourir::native
