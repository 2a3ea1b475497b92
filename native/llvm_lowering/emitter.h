// Values in the emitted code, their joins, and the insertion point with the operations that all
// parts of the lowering need: constants, blocks, tests of tags, loads and stores with their alias
// class, calls of the runtime, source positions.
#pragma once

#include "native/llvm_lowering/event_markers.h"
#include "native/llvm_lowering/module_lowering.h"
#include "native/llvm_lowering/type_flow.h"

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace sourir::native {

// A value of the program: a pair of LLVM values. The tag is a constant where the type is known
// (unboxed: LLVM drops the pair).
struct TypedValue {
  llvm::Value* bits = nullptr; // i64
  llvm::Value* tag = nullptr;  // i64
  TypeSet types = kAnyType;    // that it can have
};

// A value that is computed on several control-flow paths, and the block where they join.
class Join {
public:
  Join(llvm::IRBuilderBase& builder, llvm::BasicBlock* after) : b_(builder), after_(after) {}

  // The value on the path that ends at the builder's position; emits the branch to the join.
  void arrive(const TypedValue& value);
  // Moves the builder to the join and emits the phis. Types: the union of those of the paths.
  TypedValue finish();

private:
  llvm::Value* meet(llvm::Value* TypedValue::* part);

  struct Path {
    llvm::BasicBlock* from;
    TypedValue value;
  };
  llvm::IRBuilderBase& b_;
  llvm::BasicBlock* after_;
  std::vector<Path> paths_;
};

class Emitter {
public:
  Emitter(ModuleLowering& module, llvm::IRBuilderBase& builder, const CompileRequest& request);

  ModuleLowering& module;
  llvm::IRBuilderBase& ir;
  const CompileRequest& request;
  const ResolvedVersion& code; // that of the request
  EventMarkers markers;
  llvm::Type *const i8, *const i64, *const f64, *const ptr;

  // Continues in a new block "entry" of this function, which has no source position yet.
  void enter(llvm::Function* function);
  llvm::Function* function() const { return function_; }

  // The current instruction becomes this here.
  void lowered(profiler::Event event) { markers.lowered(ir, event, pc_); }

  // The instruction that is lowered now.
  void start_instruction(Pc pc);
  void leave_instructions() { pc_ = profiler::kNowhere; } // what follows belongs to none
  Pc pc() const { return pc_; }
  // The source position of code from here on; `what`: kCall, kOtherInstr (line_table.h).
  void set_position(Pc pc, unsigned what);

  TypedValue constant(Value v);
  TypedValue boolean(llvm::Value* i1);
  TypedValue integer(llvm::Value* bits);
  TypedValue floating(llvm::Value* number); // a double
  llvm::Value* number(std::uint64_t n);     // i64
  llvm::Value* tag(Tag tag);                // i64
  llvm::Value* pointer(const void* p);      // an address in this process
  llvm::Value* as_double(llvm::Value* bits);

  llvm::BasicBlock* block(const char* name);
  llvm::Value* is(const TypedValue& v, Tag tag); // i1
  // Continues in a new block where `ok` (i1) holds; otherwise branches to `other`, which is cold.
  void unless(llvm::Value* ok, llvm::BasicBlock* other);
  // Ends the block: to `usual` where the condition holds, otherwise to `cold`.
  void branch_likely(llvm::Value* condition, llvm::BasicBlock* usual, llvm::BasicBlock* cold);

  llvm::Value* load(llvm::Type* type, llvm::Value* p, Memory memory);
  void store(llvm::Value* v, llvm::Value* p, Memory memory);
  llvm::Value* offset(llvm::Value* p, std::uint64_t bytes);

  // A call of a function of the runtime, the machine as its first argument.
  llvm::CallInst* call_runtime(std::string_view name, std::vector<llvm::Value*> arguments);
  // The same through its stub, with values in memory. An argument that is null is a pointer to
  // them.
  llvm::CallInst* call_stub(std::string_view name, std::vector<llvm::Value*> arguments,
                            const std::vector<TypedValue>& values = {});

private:
  llvm::Function* function_ = nullptr;
  Pc pc_ = 0;
};

} // namespace sourir::native
