// One version as a function of LLVM IR. Variables are pairs of stack slots (bits and tag) that LLVM
// promotes; what cannot be done goes on in the baseline at the same position, through a cold block
// that writes down all variables. Nothing is bound before the end of an instruction, so that its
// cold block sees the state before it.
#pragma once

#include "native/llvm_lowering/kinds.h"
#include "native/llvm_lowering/module_lowering.h"
#include "sourir/semantics/resolved_loops.h"

#include <map>
#include <set>

namespace sourir::native {

// A value in the code being made, and the kinds that it may have.
struct Typed {
  llvm::Value* bits = nullptr; // i64
  llvm::Value* tag = nullptr;  // i64, constant where there is only one kind
  TypeSet kinds = kAnyType;
};

class FunctionLowering {
public:
  // body: where the code goes behind the tests of where it is entered, so that calls of the
  // function by itself get there at once; null: all is one function.
  FunctionLowering(ModuleLowering& module, llvm::IRBuilderBase& builder,
                   const CompileRequest& request, llvm::Function* function,
                   llvm::Function* body = nullptr);
  void run();
  const std::vector<SampleSlot>& sample_slots() const { return sample_slots_; }

private:
  // function_lowering.cpp: the frame, positions and instructions
  void enter_body();
  void note_entry();
  void make_slots();
  void fill_from_arguments();
  void fill_from_buffer();
  void test_expected_kinds();
  void lower(Pc pc);
  void bind(Slot x, const resolved::Expr& e);
  void bind(Slot x, const Typed& value);
  void bind_believed(Slot x, Typed value);
  void branch(const resolved::Branch& i);
  void end_of_round();
  void assume(const resolved::Assume& i);
  void anchor(const resolved::Anchor& i);
  void opportunity(llvm::BasicBlock* leave);
  bool has_effect(const resolved::Instr& instr) const;
  bool begins_region(Pc pc) const;

  // operations.cpp: expressions. What has no value goes to failure().
  Typed operand(const resolved::Operand& e);
  Typed evaluate(const resolved::Expr& e, TypeSet believed = kAnyType);
  llvm::Value* truth(const resolved::Expr& e); // i1; what is no boolean fails
  void require(const Typed& v, Tag tag);
  Typed unary(UnaryOp op, Typed v);
  Typed binary(BinaryOp op, Typed a, Typed b, TypeSet believed);
  Typed arithmetic(BinaryOp op, const Typed& a, const Typed& b, TypeSet believed);
  Typed numbers(BinaryOp op, const Typed& a, const Typed& b);
  Typed mixed_numbers(BinaryOp op, const Typed& a, const Typed& b);
  Typed slow_binary(BinaryOp op, const Typed& a, const Typed& b);
  Typed integers(BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* quotient(BinaryOp op, llvm::Value* a, llvm::Value* b);
  Typed floats(BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* equal(const Typed& a, const Typed& b); // i1
  llvm::Value* as_float(const Typed& v);              // double, of an int or a float

  // arrays.cpp
  llvm::Value* array_pointer(const Typed& array);
  llvm::Value* field(llvm::Value* array, Memory which);
  Typed length(const Typed& array);
  Typed load(const Typed& array, const Typed& index, TypeSet believed);
  std::optional<Value> relied_on(const resolved::Expr& e) const;
  Typed watched_load(const resolved::Expr& e, Value value, TypeSet believed);
  Typed load_element(llvm::Value* data, llvm::Value* index, Storage storage);
  void store(const Typed& array, const Typed& index, const Typed& value);
  void store_into(llvm::Value* array, llvm::Value* index, const Typed& value, Storage storage,
                  llvm::BasicBlock* slow, llvm::BasicBlock* done);
  void store_element(llvm::Value* data, llvm::Value* index, const Typed& value, Storage storage);
  void slow_store(const Typed& array, const Typed& index, const Typed& value);
  llvm::Value* loads_as(llvm::Value* found, Storage storage);
  llvm::Value* data_in(llvm::Value* array, llvm::Value* index, Storage storage);
  llvm::Value* element_pointer(llvm::Value* data, llvm::Value* index, Storage storage);

  // allocation.cpp
  void array_literal(const resolved::ArrayDef& i);
  Typed array_of_nils(const Typed& length);
  Typed fresh_array(Storage storage, const std::vector<Typed>& elements, llvm::BasicBlock* slow);

  // calls.cpp
  void call(const resolved::Call& i);
  llvm::Value* cell_of(const Typed& callee, std::size_t arguments);
  Typed call_through(llvm::Value* cell, const Typed& callee, const std::vector<Typed>& arguments);
  Typed call_native(llvm::Value* code, const std::vector<llvm::Value*>& values);
  llvm::Function* itself(const Typed& callee, const std::vector<Typed>& arguments) const;
  Typed slow_call(llvm::Value* depth, const Typed& callee, const std::vector<Typed>& arguments);
  void set_position(Pc pc, unsigned what); // kCall, kNoCall: in the line table
  // Of a runtime call; kNoValue fails.
  Typed checked(llvm::Value* result, TypeSet kinds);
  llvm::CallInst* call_runtime(std::string_view name, std::vector<llvm::Value*> arguments);
  llvm::CallInst* call_with(std::string_view name, std::vector<llvm::Value*> arguments,
                            const std::vector<Typed>& values);

  // exits.cpp: the ways out
  void begin_region(Pc pc);
  void end_region();
  // Where the current instruction goes when it cannot be done here: to the baseline, or while
  // guards are tested to the exit.
  llvm::BasicBlock* failure();
  llvm::BasicBlock* leave_block(const resolved::Exit& exit);
  void leave_by(std::string name, Pc pc, const std::vector<Typed>& values);
  void leave_for_better_loop(Pc head);
  void resume_on_frame(const std::string& name, Pc pc);
  void note_exit(NativeExit::Kind kind, Pc pc, const std::vector<Typed>& values);
  llvm::CallInst* call_on_frame(std::string_view name, std::vector<llvm::Value*> arguments);
  void count_fuel();
  std::vector<Typed> variables(const Kinds::State& kinds, const std::vector<bool>* used);
  std::vector<bool> used_by(const resolved::Exit& exit) const;

  // sampling.cpp: what is kept for samples, where the code looks whether one is wanted
  void plan_samples();
  void plan_loops();
  bool is_sampled(Pc pc) const;
  bool is_sampled_parameter(Slot p) const;
  void begin_samples();
  void keep_kind(std::size_t slot, const Typed& v);
  void sample_round();
  void sample_return();
  struct SamplePlace;
  void add_loop(SamplePlace& place, Pc loop) const;
  void look(const SamplePlace& place, std::uint32_t also);
  void count_tick(const SamplePlace& place);
  void ask(std::string_view name, llvm::Value* go_on, const SamplePlace& place);

  // Small steps
  Typed constant(Value v);
  Typed boolean(llvm::Value* i1);
  Typed integer(llvm::Value* i64);
  Typed floating(llvm::Value* number);
  llvm::Value* number(std::uint64_t n);
  llvm::Value* pointer(const void* p);
  llvm::BasicBlock* block(const char* name);
  llvm::Value* is(const Typed& v, Tag tag);              // i1
  void unless(llvm::Value* ok, llvm::BasicBlock* other); // goes on where ok holds
  llvm::Value* load_from(llvm::Type* type, llvm::Value* p, Memory kind);
  void store_to(llvm::Value* v, llvm::Value* p, Memory kind);

  ModuleLowering& m_;
  llvm::IRBuilderBase& b_;
  const CompileRequest& request_;
  const ResolvedVersion& code_;
  Kinds kinds_;
  llvm::Function *function_, *body_;
  llvm::Function* current_; // one of them
  llvm::Value* depth_ = nullptr;
  llvm::Type *i8_, *i64_, *double_, *ptr_;
  std::vector<llvm::Value*> bits_, tags_; // addresses, by slot
  llvm::Value* frame_ = nullptr;          // level 0: all slots in one place, as values
  std::vector<llvm::BasicBlock*> blocks_; // by position; null: no block begins there
  Pc pc_ = 0;
  Pc region_ = 0;                            // where the current region begins
  llvm::BasicBlock* region_block_ = nullptr; // begins with it
  llvm::BasicBlock* failure_ = nullptr;      // of the region, once needed
  llvm::BasicBlock* instead_ = nullptr;      // the exit, while guards are tested
  llvm::BasicBlock* resume_ = nullptr;       // level 0: goes on in the baseline, at the position in
  llvm::Value* resume_at_ = nullptr;         // this
  llvm::DISubprogram* scope_ = nullptr;
  std::vector<SampleSlot> sample_slots_;
  std::vector<std::size_t> sampled_at_; // by position: its slot, or one too large; may be empty
  ResolvedLoops loops_;                 // if there are slots
  std::vector<Pc> slot_loops_;          // by slot: the innermost loop around it
  // The loops whose rounds look at their ends, with the variables of unknown kinds that they read.
  std::map<Pc, std::set<Slot>> looking_;
  std::size_t places_ = 0;         // where they do, so far
  std::vector<llvm::Value*> seen_; // by slot: where its tag is kept, or kNoKind
  llvm::Value* words_ = nullptr;   // where the runtime finds them; null: there are no slots
};

} // namespace sourir::native
