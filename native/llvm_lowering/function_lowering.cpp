#include "native/llvm_lowering/function_lowering.h"

#include "native/llvm_lowering/arithmetic.h"
#include "native/llvm_lowering/arrays.h"
#include "native/llvm_lowering/calls.h"
#include "native/llvm_lowering/line_table.h"
#include "native/llvm_lowering/loop_strips.h"
#include "native/llvm_lowering/sample_reports.h"

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace sourir::native {

namespace {

class FunctionLowering {
public:
  FunctionLowering(ModuleLowering& module, llvm::IRBuilderBase& builder,
                   const CompileRequest& request, llvm::Function* function, llvm::Function* body);
  void run();
  const std::vector<SampleSlot>& sample_slots() const { return samples_.slots(); }
  const std::vector<EventMarker>& markers() const { return e_.markers.all(); }

private:
  void begin(llvm::Function* function);
  void enter_body();
  void make_blocks();
  void make_strips();
  void lower_all();
  void lower(Pc pc);
  void branch(const resolved::Branch& i);
  void go_to(const resolved::Goto& i);
  llvm::BasicBlock* target(Pc to) const;
  void strip_head(const CountedLoop& loop, llvm::Value* condition);
  llvm::Value* strip_limit(const CountedLoop& loop);
  void call(const resolved::Call& i);
  void assume(const resolved::Assume& i);
  bool holds(const resolved::Expr& guard) const;
  void anchor(const resolved::Anchor& i);
  void return_value(const TypedValue& v);
  void back_edge();

  TypedValue evaluate(const resolved::Expr& e, TypeSet speculated = kAnyType);
  std::vector<TypedValue> evaluate(const std::vector<resolved::Expr>& all);
  llvm::Value* truth(const resolved::Expr& e); // i1; other types bail out
  void bind(Slot x, const resolved::Expr& e);
  void bind(Slot x, const TypedValue& value);
  void bind_effect(Slot x, const TypedValue& value);
  void record_storage(Slot array);

  const CompileRequest& request_;
  const ResolvedVersion& code_;
  llvm::Function *function_, *body_;
  llvm::IRBuilderBase& b_;
  Emitter e_;
  Variables variables_;
  const TypeFlow& types_;
  Exits exits_;
  Arithmetic arithmetic_;
  Arrays arrays_;
  WatchpointLoads watchpoint_loads_;
  Allocation allocation_;
  Calls calls_;
  SampleReports samples_;
  std::vector<llvm::BasicBlock*> blocks_; // by position; null: no block begins there
  // By head of a loop that runs in strips: where the back edges go, and the end of the strip.
  struct Strip {
    llvm::BasicBlock* iterate = nullptr;
    llvm::Value* limit = nullptr; // an address
  };
  std::map<Pc, Strip> strips_;
};

FunctionLowering::FunctionLowering(ModuleLowering& module, llvm::IRBuilderBase& builder,
                                   const CompileRequest& request, llvm::Function* function,
                                   llvm::Function* body)
    : request_(request), code_(*request.code), function_(function), body_(body), b_(builder),
      e_(module, builder, request), variables_(e_), types_(variables_.types()),
      exits_(e_, variables_), arithmetic_(e_, exits_), arrays_(e_, exits_),
      watchpoint_loads_(e_, variables_, exits_, arrays_), allocation_(e_, exits_, arrays_),
      calls_(e_, variables_, exits_, body), samples_(e_, variables_, exits_) {}

void FunctionLowering::run() {
  begin(function_);
  if (body_ != nullptr) enter_body();
  samples_.begin(body_ != nullptr);
  make_blocks();
  make_strips();
  b_.CreateBr(blocks_[request_.start]);
  lower_all();
  llvm::Function& lowered = body_ != nullptr ? *body_ : *function_;
  e_.markers.move_behind_guards(lowered);
  e_.markers.gather(lowered);
}

void FunctionLowering::lower_all() {
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
    if (!types_.reached(pc)) continue;
    if (blocks_[pc] != nullptr) {
      if (b_.GetInsertBlock()->getTerminator() == nullptr) {
        if (pc != 0) e_.markers.executed_through(b_, pc - 1);
        b_.CreateBr(blocks_[pc]);
      }
      b_.SetInsertPoint(blocks_[pc]);
    }
    lower(pc);
  }
  exits_.end_region();
}

void FunctionLowering::begin(llvm::Function* function) {
  e_.enter(function);
  // Emitted for the function and for the body; the second report has no effect.
  if (e_.module.options.entries && request_.entry)
    e_.call_runtime("rt_entered", {e_.pointer(&code_)});
  variables_.allocate();
  exits_.allocate();
  request_.entry ? variables_.fill_from_arguments() : variables_.fill_from_buffer();
}

void FunctionLowering::enter_body() {
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& a : function_->args()) arguments.push_back(&a);
  e_.set_position(request_.start, kOtherInstr);
  b_.CreateRet(b_.CreateCall(body_, arguments));
  begin(body_);
}

void FunctionLowering::make_blocks() {
  blocks_.resize(code_.instrs.size());
  const auto begins = [&](Pc pc) {
    if (types_.reached(pc) && blocks_[pc] == nullptr) blocks_[pc] = e_.block("at");
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
}

void FunctionLowering::make_strips() {
  llvm::BasicBlock& first = e_.function()->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
  for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
    if (samples_.strips(pc) != nullptr)
      strips_[pc] = {e_.block("strip"), entry.CreateAlloca(e_.i64, nullptr, "limit")};
}

void FunctionLowering::lower(Pc pc) {
  e_.start_instruction(pc);
  exits_.start_instruction(pc, blocks_[pc] != nullptr);
  exits_.tier_up_at_header();
  match(
      code_.instrs[pc],
      [&](const resolved::Decl& i) { i.e ? bind(i.x, *i.e) : bind(i.x, e_.constant(Value())); },
      [&](const resolved::Drop& i) { bind(i.x, e_.constant(Value::unbound())); },
      [&](const resolved::Assign& i) { bind(i.x, i.e); },
      [&](const resolved::ArrayDecl& i) {
        bind(i.x, allocation_.array_of_nils(evaluate(i.length)));
      },
      [&](const resolved::ArrayDef& i) { bind(i.x, allocation_.array_of(evaluate(i.elements))); },
      [&](const resolved::ArrayUpdate& i) {
        const TypedValue index = evaluate(i.index), value = evaluate(i.value);
        record_storage(i.x);
        const TypedValue array = variables_.operand({.literal = {}, .slot = i.x});
        arrays_.store(array, index, value, TypeFlow::elements(types_.before(pc), i.x));
      },
      [&](const resolved::Branch& i) { branch(i); }, [&](const resolved::Goto& i) { go_to(i); },
      [&](const resolved::Print& i) {
        const TypedValue v = evaluate(i.e);
        exits_.checked(e_.call_runtime("rt_print", {v.bits, v.tag}), kAnyType);
      },
      [&](const resolved::Read& i) {
        bind_effect(i.x, exits_.checked(e_.call_runtime("rt_read", {}), kAnyType));
      },
      [&](const resolved::Assert& i) { e_.unless(truth(i.e), exits_.bailout()); },
      [&](const resolved::Call& i) { call(i); },
      [&](const resolved::Return& i) { return_value(evaluate(i.e)); },
      [&](const resolved::Stop& i) {
        const TypedValue v = evaluate(i.e);
        e_.markers.executed_through(b_, e_.pc());
        e_.call_runtime("rt_stop", {v.bits, v.tag});
        b_.CreateUnreachable();
      },
      [&](const resolved::Assume& i) { assume(i); }, [&](const resolved::Anchor& i) { anchor(i); },
      [](const resolved::GuardHint&) {});
}

void FunctionLowering::branch(const resolved::Branch& i) {
  llvm::Value* condition = truth(i.e); // first: after a bailout the baseline counts the back edge
  if (!is_back_edge(i, e_.pc())) e_.markers.executed_through(b_, e_.pc());
  if (const CountedLoop* loop = samples_.strips(e_.pc())) return strip_head(*loop, condition);
  if (is_back_edge(i, e_.pc())) back_edge();
  e_.markers.executed_through(b_, e_.pc());
  if (i.if_true == i.if_false)
    b_.CreateBr(target(i.if_true));
  else
    b_.CreateCondBr(condition, target(i.if_true), target(i.if_false));
}

// The block that an edge of the current instruction leads to.
llvm::BasicBlock* FunctionLowering::target(Pc to) const {
  const auto strip = strips_.find(to);
  const bool back = strip != strips_.end() && to <= e_.pc();
  return back ? strip->second.iterate : blocks_[to];
}

// Native code for a loop in strips (loop_strips.h). `condition`: whether the branch is true.
void FunctionLowering::strip_head(const CountedLoop& loop, llvm::Value* condition) {
  const Strip& strip = strips_.at(e_.pc());
  const auto& branch = std::get<resolved::Branch>(code_.instrs[e_.pc()]);
  llvm::BasicBlock *between = e_.block("between"), *end = blocks_[loop.end];
  if (loop.body == branch.if_true)
    b_.CreateCondBr(condition, between, end);
  else
    b_.CreateCondBr(condition, end, between);
  b_.SetInsertPoint(between);
  samples_.between_strips();
  b_.CreateStore(strip_limit(loop), strip.limit);
  b_.CreateBr(strip.iterate);
  b_.SetInsertPoint(strip.iterate);
  const TypedValue limit{b_.CreateLoad(e_.i64, strip.limit), e_.tag(Tag::Int), type_set(Tag::Int)};
  const TypedValue go_on =
      arithmetic_.binary(loop.op, variables_.operand(loop.counter), limit, type_set(Tag::Bool));
  llvm::BasicBlock* iteration = e_.block("iteration");
  b_.CreateCondBr(b_.CreateICmpNE(go_on.bits, e_.number(0)), iteration, blocks_[e_.pc()]);
  b_.SetInsertPoint(iteration);
  if (loop.never_negative)
    b_.CreateAssumption(b_.CreateICmpSGE(variables_.operand(loop.counter).bits, e_.number(0)));
  b_.CreateBr(blocks_[loop.body]);
}

// The counter does not overflow on the way to the limit of the strip: that of the loop is beyond.
llvm::Value* FunctionLowering::strip_limit(const CountedLoop& loop) {
  llvm::Value* counter = variables_.operand(loop.counter).bits;
  llvm::Value* limit = variables_.operand(loop.limit).bits;
  const bool up = loop.op == BinaryOp::Lt || loop.op == BinaryOp::Le;
  llvm::Value* length = e_.number(kStrip * loop.step);
  llvm::Value* left = up ? b_.CreateSub(limit, counter) : b_.CreateSub(counter, limit);
  llvm::Value* end = up ? b_.CreateAdd(counter, length) : b_.CreateSub(counter, length);
  return b_.CreateSelect(b_.CreateICmpULT(left, length), limit, end);
}

void FunctionLowering::go_to(const resolved::Goto& i) {
  if (is_back_edge(i, e_.pc())) back_edge();
  e_.markers.executed_through(b_, e_.pc());
  b_.CreateBr(target(i.target));
}

void FunctionLowering::back_edge() {
  samples_.at_back_edge(); // first: after a bailout the baseline counts the back edge
  exits_.count_fuel();
}

void FunctionLowering::call(const resolved::Call& i) {
  const TypedValue callee = evaluate(i.callee);
  llvm::Value* cell = calls_.cell_of(callee, i.arguments.size());
  const TypedValue result = calls_.call(cell, callee, evaluate(i.arguments));
  e_.set_position(e_.pc(), kOtherInstr);
  if (e_.module.options.forced_exits && e_.module.host.returned != nullptr)
    e_.store(llvm::ConstantInt::get(e_.i8, 1), e_.pointer(e_.module.host.returned), Memory::Fuel);
  bind_effect(i.x, result);
}

void FunctionLowering::assume(const resolved::Assume& i) {
  const bool can_be_forced = e_.module.options.forced_exits && !i.exit.stays;
  if (always_fails(i)) {
    b_.CreateBr(exits_.deoptimization(i.exit));
    return;
  }
  if (!can_be_forced && std::ranges::all_of(i.guards, [&](const auto& e) { return holds(e); }))
    return;
  exits_.guarded();
  for (const resolved::Expr& e : i.guards) {
    if (e.shape == resolved::Shape::ElementsTest)
      arrays_.guard_elements(variables_.operand(e.a), static_cast<Tag>(e.op));
    else
      e_.unless(truth(e), exits_.bailout());
  }
  if (can_be_forced) exits_.forced_exit(exits_.deoptimization(i.exit));
}

// Whether the guard is a test of types that are known here.
bool FunctionLowering::holds(const resolved::Expr& guard) const {
  const TypeFlow::State& state = types_.before(e_.pc());
  const Tag tag = static_cast<Tag>(guard.op);
  if (guard.shape == resolved::Shape::ElementsTest)
    return only(TypeFlow::elements(state, guard.a), tag);
  return guard.shape == resolved::Shape::KindTest && only(TypeFlow::of(guard.a, state), tag);
}

void FunctionLowering::anchor(const resolved::Anchor& i) {
  if (e_.module.options.forced_exits && !i.exit.stays)
    exits_.forced_exit(exits_.deoptimization(i.exit));
}

void FunctionLowering::return_value(const TypedValue& v) {
  samples_.at_return();
  e_.markers.executed_through(b_, e_.pc());
  llvm::Value* result = llvm::PoisonValue::get(e_.module.result_type());
  result = b_.CreateInsertValue(result, v.bits, 0);
  b_.CreateRet(b_.CreateInsertValue(result, v.tag, 1));
}

TypedValue FunctionLowering::evaluate(const resolved::Expr& e, TypeSet speculated) {
  switch (e.shape) {
  case resolved::Shape::Simple: return variables_.operand(e.a);
  case resolved::Shape::Unary:
    return arithmetic_.unary(static_cast<UnaryOp>(e.op), variables_.operand(e.a));
  case resolved::Shape::Binary: {
    const TypedValue a = variables_.operand(e.a);
    return arithmetic_.binary(static_cast<BinaryOp>(e.op), a, variables_.operand(e.b), speculated);
  }
  case resolved::Shape::Index: {
    record_storage(e.a.slot);
    if (const auto value = watchpoint_loads_.assumed(e))
      return watchpoint_loads_.load(e, *value, speculated);
    const TypedValue array = variables_.operand(e.a);
    return arrays_.load(array, variables_.operand(e.b),
                        TypeFlow::elements(types_.before(e_.pc()), e.a), speculated);
  }
  case resolved::Shape::Length: return arrays_.length(variables_.operand(e.a));
  case resolved::Shape::ElementsTest: // only guards, see assume()
  case resolved::Shape::KindTest: break;
  }
  return arithmetic_.has_type(variables_.operand(e.a), static_cast<Tag>(e.op));
}

std::vector<TypedValue> FunctionLowering::evaluate(const std::vector<resolved::Expr>& all) {
  std::vector<TypedValue> values;
  for (const resolved::Expr& e : all) values.push_back(evaluate(e));
  return values;
}

llvm::Value* FunctionLowering::truth(const resolved::Expr& e) {
  const TypedValue v = evaluate(e);
  exits_.require(v, Tag::Bool);
  return b_.CreateICmpNE(v.bits, e_.number(0));
}

// Where it is the array that the instruction accesses.
void FunctionLowering::record_storage(Slot array) {
  if (!samples_.records_storage() || accessed_array(code_.instrs[e_.pc()]) != array) return;
  const TypedValue v = variables_.operand({.literal = {}, .slot = array});
  samples_.record_storage(arrays_.reported_storage(v));
}

void FunctionLowering::bind(Slot x, const TypedValue& v) {
  variables_.bind(x, v);
  samples_.record(v);
}

void FunctionLowering::bind(Slot x, const resolved::Expr& e) {
  const TypeSet possible = TypeFlow::of(e, types_.before(e_.pc()));
  const TypeSet speculated = types_.speculated(e_.pc(), possible);
  const TypedValue v = evaluate(e, speculated);
  if (speculated == possible) return bind(x, v);
  const Tag tag = *single(speculated);
  e_.unless(e_.is(v, tag), exits_.bailout());
  bind(x, {v.bits, e_.tag(tag), speculated});
}

// The result of an instruction with an effect, which is not re-executable: where it is not of the
// speculated type, the baseline continues after the instruction.
void FunctionLowering::bind_effect(Slot x, const TypedValue& v) {
  e_.markers.executed_through(b_, e_.pc());
  const TypeSet speculated = types_.speculated(e_.pc(), v.types);
  if (speculated == v.types) return bind(x, v);
  const Tag tag = *single(speculated);
  llvm::BasicBlock *usual = e_.block("speculated"), *other = e_.block("misspeculated");
  e_.branch_likely(e_.is(v, tag), usual, other);
  b_.SetInsertPoint(other);
  bind(x, v);
  TypeFlow::State types = types_.before(e_.pc());
  types[x] = kAnyType;
  exits_.bail_out(e_.pc() + 1, types);
  b_.SetInsertPoint(usual);
  bind(x, {v.bits, e_.tag(tag), speculated});
}

} // namespace

LoweredVersion lower_function(ModuleLowering& module, llvm::IRBuilderBase& builder,
                              const CompileRequest& request, llvm::Function* function,
                              llvm::Function* body) {
  FunctionLowering lowering(module, builder, request, function, body);
  lowering.run();
  return {lowering.sample_slots(), lowering.markers()};
}

} // namespace sourir::native
