// Stack walks of a stopped run: the code in use, the frames with their values, and their places in
// the source program. Frames are in order from the innermost on.
// Threads: of the program.
#pragma once

#include "native/interpreter/interpreter.h"
#include "native/runtime/code_cache.h"
#include "native/runtime/optimized_version.h"
#include "sourir/semantics/run.h"

namespace sourir::native {

// A return frame of the interpreter, or a native frame.
struct Activation {
  const ReturnFrame* return_frame = nullptr;
  const NativeCode* native = nullptr;
  std::uint64_t address = 0; // native: the return address in it
  bool replaced = false;     // native: it was exited, and only returns a result
};

// All but the frame in which the interpreter runs.
void for_each_activation(const Interpreter& interpreter, const CodeCache& cache,
                         const std::function<void(const Activation&)>& visit);

// ip: the instruction of the interpreter; null: the innermost activation is in native code.
CodeInUse code_in_use(const Interpreter& interpreter, const CodeCache& cache, const Insn* ip);

struct WalkedFrame {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;                    // of a caller: after the call
  const Value* slots = nullptr; // null: a native frame, whose values are not known
  std::optional<Slot> result;   // of a return frame: the slot of the result
  std::vector<Value> rebuilt;   // instead of slots: by the state map of an optimized version
};

// The frame of the interpreter, with `base`, is the innermost.
std::vector<WalkedFrame> walk(const Interpreter& interpreter, const CodeCache& cache,
                              const Insn* ip, const char* base);

// The same in terms of the source program: the state maps of optimized versions applied. The
// innermost frame has values, if it had some and they need no deferred instructions. Allocates
// nothing on the program's heap, which must not be collected as long as the frames are used.
std::vector<WalkedFrame> in_source(Heap& heap, const std::vector<WalkedFrame>& frames,
                                   const LinkedProgram& program, const CodeCache& cache);

// The values by slot, unbound where not in scope: the value stack still holds older values there.
std::vector<Value> environment(const LinkedProgram& program, const WalkedFrame& frame);
// The report of a rebuilt frame gets the variables that are in scope and have no value there.
void add_optimized_out(const LinkedProgram& program, const WalkedFrame& frame, FrameReport& report);

// --- Frames of optimized versions in the source program ---

struct SourcePlace {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
};

// The places of the frames that the frame at `pc` of a stream of the optimized version represents;
// at least one. at_call: pc is after a call, as are the results. Without an entry in the state map:
// the start of the version, or the head of the loop, that it was made from.
std::vector<SourcePlace> source_places(const OptimizedVersion& added, const ResolvedVersion& code,
                                       const LinkedProgram& running, Pc pc, bool at_call);

} // namespace sourir::native
