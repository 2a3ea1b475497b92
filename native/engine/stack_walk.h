// Walks over all frames of a stopped run: the code objects that they use, and the values that they
// hold. Threads: of the program.
#pragma once

#include "native/interpreter/interpreter.h"
#include "native/runtime/code_cache.h"
#include "native/runtime/optimized_version.h"

namespace sourir::native {

// A frame that waits in the interpreter, or a native one.
struct Activation {
  const ReturnFrame* return_frame = nullptr;
  const NativeCode* native = nullptr;
  std::uint64_t address = 0; // native: where it continues
  bool replaced = false;     // native: it took an exit, and only hands on the result
};

// From the innermost on, but for the instruction that the interpreter is at.
void for_each_activation(const Interpreter& interpreter, const CodeCache& cache,
                         const std::function<void(const Activation&)>& visit);

// ip: where the interpreter is; null: it waits for native code.
CodeInUse code_in_use(const Interpreter& interpreter, const CodeCache& cache, const Insn* ip);

struct WalkedFrame {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;                    // after the call, in those that wait
  const Value* slots = nullptr; // null: a native frame, whose values are not known
  std::optional<Slot> result;   // where it waits for one
};

// The innermost first, which the interpreter is in.
std::vector<WalkedFrame> walk(const Interpreter& interpreter, const CodeCache& cache,
                              const Insn* ip, const char* base);

// The same in terms of the program as it was written, where no version was made at run time.
std::vector<WalkedFrame> in_source(const std::vector<WalkedFrame>& frames,
                                   const LinkedProgram& program, const CodeCache& cache);

// By slot, unbound what is not in scope: the value stack still holds what was there.
std::vector<Value> environment(const LinkedProgram& program, const WalkedFrame& frame);

// Where a frame of a version that was made at run time is in the program as it was written.

struct SourcePlace {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
};

// The places of the frames that the frame at `pc` of one of the added streams stands for, innermost
// first; at least one. at_call: pc is after its call, as are the results. What the map does not
// say is at the start of the version that was there before.
std::vector<SourcePlace> source_places(const OptimizedVersion& added, const ResolvedVersion& code,
                                       const LinkedProgram& running, Pc pc, bool at_call);

} // namespace sourir::native
