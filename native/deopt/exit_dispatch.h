// Exits that continue in native code chosen by their context, without frames (docs/deoptless.md):
// the varmaps of all frames are evaluated into the parameters of the continuation.
// Owns: what belongs to one exit. Never: chooses, compiles. Threads: of the program.
#pragma once

#include "native/deopt/deopt_context.h"
#include "native/runtime/code_cache.h"

#include <memory>

namespace sourir::native {

// A continuation of a deoptimization context. Its address stays valid to the end of the run.
struct DeoptContinuation {
  DeoptContext context;
  OsrEntry* entry = nullptr; // its parameters are the variables of the target, in their order
};

struct ExitDispatch {
  const DeoptTarget* target = nullptr; // null: the exit is never dispatched
  resolved::Exit parameters;           // one frame, whose slot i is variable i of the target
  std::size_t guard = 0;               // that failed last, of the assume
  const DeoptContinuation* last = nullptr;
  std::uint64_t entered = 0; // `last`, without asking the tiers

  // The code of `last`, if it may be entered in this state; null: ask the tiers.
  const NativeCode* cached(DeoptCause cause, const Value* values) const {
    if (last == nullptr || !admits(last->context, cause, values)) return nullptr;
    return last->entry->ready.load(std::memory_order_acquire);
  }
};

// target: of the exit, or null.
ExitDispatch exit_dispatch(const resolved::Exit& exit, const DeoptTarget* target);

// The cause of an exit that was not forced, of the assume at `pc`; `env` holds what its guards
// read. Sets `exit.guard`.
DeoptCause failed_guard(const ResolvedVersion& version, Pc pc, const Value* env,
                        ExitDispatch& exit);

} // namespace sourir::native
