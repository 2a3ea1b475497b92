// Running a program in the native tier: the interface for the tool, the checks and the benchmarks.
#pragma once

#include "native/engine/sampling.h"
#include "native/tiering/native_settings.h"
#include "sourir/semantics/run.h"

#include <chrono>
#include <string>

namespace sourir::native {

struct EngineStatistics {
  std::uint64_t calls = 0, exits = 0, forced = 0, opportunities = 0, prints = 0, reads = 0;
  std::uint64_t exits_to_native = 0; // of `exits`: the innermost frame went on in native code
  std::uint64_t watchpoints = 0,
                watchpoints_invalidated = 0; // elements of arrays: how often that began and ended
  // How often exits came in a row, each from code that the one before had entered; the most.
  std::uint64_t cascades = 0, longest_cascade = 0;
  std::uint64_t compiled = 0, machine_code_bytes = 0, arrays = 0, code_invalidated = 0,
                optimized = 0;
  std::uint64_t bailouts = 0;    // native code left for the same instruction in the baseline
  std::uint64_t freed = 0;       // of what was compiled
  std::uint64_t osr_entries = 0; // by OSR
  // Of one piece of native code that calls or loops entered at that time: the most exits.
  std::uint64_t most_exits = 0;
  double compile_seconds = 0;
  // Versions that the verifier saw, by what it said.
  std::uint64_t verified = 0, differing = 0, undecided = 0;
};

// What the tiers did to the program as the semantics sees it, and states to compare: for a replay
// in the reference. On the thread of the program, in the order of the run.
struct TierStep {
  enum class Kind : std::uint8_t {
    Entered,     // from this call on, calls of its function enter `code`
    OsrEntry,    // the running frame continues in `into`, at its start
    Deopt,       // an exit was taken: `state` is that of its frames
    MappedDeopt, // the same by the state map of an added version, at a position without an exit
    Bailout,     // the baseline continues, nothing else changes: `state` is the frame
  };
  Kind kind = Kind::Entered;
  std::uint64_t events = 0; // sourir/semantics/link.h, with the call or exit itself
  std::uint64_t depth = 0;  // Deopt, MappedDeopt, Bailout: continuations there are then
  const ResolvedVersion* code = nullptr;   // all but Entered: the version that the frame was in,
  Pc pc = 0;                               // and its position
  const OptimizedVersion* added = nullptr; // that has `code`; null: it is of the program
  const OptimizedVersion* into = nullptr;  // OsrEntry
  const resolved::Exit* exit = nullptr;    // Deopt, MappedDeopt
  const Config* state = nullptr; // null: so many were recorded before that this one was not
};

struct EngineHooks {
  std::function<void(std::string_view)> print; // a line, without its end
  const std::atomic<bool>* interrupt = nullptr;
  // May be empty. On the thread of the program or of the compiler, one at a time, while nobody
  // makes names.
  std::function<void(const TierEvent&)> tiers;
  // May be empty. Something went wrong that the program need not notice; on the same threads.
  std::function<void(std::string_view)> warn;
  std::function<void(const MadeCode&)> made; // the same
  // May be empty. With it back edges are counted, and each call records the version that it enters:
  // slower.
  std::function<void(const TierStep&)> steps;
};

struct EngineRun {
  std::uint64_t events = 0; // where it ended; only counted for EngineHooks::steps
  Outcome outcome;
  // The state where it ended, as a configuration of the reference: what is reported of frames, and
  // what the result refers to. Arrays are those that can be reached from them.
  Config last;
  EngineStatistics statistics;
  std::optional<SamplingReport> sampling; // empty: it was not sampled
  // The compiler is still at work: all arguments must live on, and the process must end by _exit.
  bool compiler_abandoned = false;
};

// Runs on a thread of its own with a stack as deep as the limits require. The state refers to the
// arguments. Interrupted without any frame: the thread did not notice it and still runs; all
// arguments must live on, and the process must end by _exit.
EngineRun run_engine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                     const NativeSettings& settings, const EngineHooks& hooks);

// What native code would be made of: calls `use` with a compiler for the program, which does not
// run. Throws what the factory of the settings throws.
void with_compiler(const LinkedProgram& program, Names& names, const NativeSettings& settings,
                   const std::function<void(NativeCompiler&)>& use);

} // namespace sourir::native
