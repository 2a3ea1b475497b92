// Exits of the emitted code: cold blocks that hand over the variables of an activation with one
// call of the runtime.
//  - A deoptimization takes the exit of an assume or anchor that is forced, or cannot hold; the
//    runtime materializes its frames from the metadata.
//  - A bailout continues in the baseline at an instruction of the same version, before an error, a
//    limit, or a value that the code cannot handle. Where a guard fails, the runtime evaluates the
//    region up to the guard, and takes its exit (native/deopt/early_failure.h).
//  - A tier-up exits to the optimized code of a loop, at its header.
//
// Replay regions share bailouts. A region is a sequence of instructions of which only the last one
// may have an effect; any failure in it bails out to its first instruction, with the variables as
// they were there, and the baseline executes the region again. One cold block per region instead
// of one per instruction makes compiling several times faster. At level 0 the variables live in
// memory and are overwritten, so each instruction is a region.
#pragma once

#include "native/llvm_lowering/variables.h"

namespace sourir::native {

class Exits {
public:
  Exits(Emitter& emitter, Variables& variables);
  // In the entry block of the function, after the variables.
  void allocate();

  // An instruction begins, and with it a region if a block begins, the instruction before has an
  // effect, or fuel is counted.
  void start_instruction(Pc pc, bool begins_block);
  // After the last instruction.
  void end_region();

  // The target where the current instruction fails: the bailout of the region.
  llvm::BasicBlock* bailout();
  // Bails out unless the value has this type.
  void require(const TypedValue& v, Tag tag);
  // The result of a runtime call, of one of these types; kNoValue bails out.
  TypedValue checked(llvm::Value* result, TypeSet types);
  // The same, where another type bails out, too.
  TypedValue checked_as(llvm::Value* result, Tag type);

  // For reports: the current instruction has guards, which bail out where they fail.
  void guarded() { guards_.push_back(e_.pc()); }
  // A new block that takes the exit of the current instruction.
  llvm::BasicBlock* deoptimization(const resolved::Exit& exit);
  // Takes the exit to `block` where the schedule forces it.
  void forced_exit(llvm::BasicBlock* block);
  // Ends the block: bails out to `pc`, with the current variables, of these types.
  void bail_out(Pc pc, const TypeFlow::State& types,
                NativeExit::Kind kind = NativeExit::Kind::Bailout);
  // At the header of a loop, the current instruction: exits if there is optimized code for it.
  void tier_up_at_header();
  // Counts one unit of fuel if the options say so; the run ends where none remains.
  void count_fuel();

private:
  bool drops(llvm::BasicBlock* block);
  void begin_region(Pc pc, bool begins_block);
  bool begins_region(Pc pc) const;
  void call_exit_handler(std::string name, Pc pc, const std::vector<TypedValue>& values);
  void bail_out_from_memory(const std::string& name, Pc pc);
  llvm::CallInst* call_with_memory(std::string_view name, std::vector<llvm::Value*> arguments);
  void record(NativeExit::Kind kind, Pc pc, const std::vector<TypedValue>& values);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Pc region_ = 0;                            // its first instruction
  llvm::BasicBlock* region_block_ = nullptr; // begins with it
  llvm::BasicBlock* bailout_ = nullptr;      // of the region, once needed
  std::vector<Pc> guards_;                   // of the region
  // Level 0: one block for all bailouts, which loads the position from memory.
  llvm::BasicBlock* shared_bailout_ = nullptr;
  llvm::Value* bailout_pc_ = nullptr;
};

} // namespace sourir::native
