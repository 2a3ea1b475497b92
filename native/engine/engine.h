// The interface of the native tier: one run of a program, its statistics, and the events that
// checks and logs receive. Errors: std::bad_alloc where no stack can be reserved, and what the
// compiler factory of the settings throws. Hooks say on which thread they are called.
#pragma once

#include "native/engine/sampling.h"
#include "native/tiering/native_settings.h"
#include "sourir/semantics/run.h"

#include <chrono>
#include <string>

namespace sourir::native {

// Calls of a function with several versions that entered this one, but for the start of main.
struct DispatchCounts {
  const ResolvedVersion* version = nullptr; // by_tiers: that it is made of
  std::uint64_t calls = 0;
  std::uint64_t direct = 0;    // of `calls`: native code had known the version
  bool by_tiers = false;       // the tiers made it
  std::vector<Expr> when = {}; // by_tiers: its context; empty: it is for all other calls
};

struct EngineStatistics {
  std::uint64_t calls = 0, exits = 0, forced = 0, opportunities = 0, prints = 0, reads = 0;
  std::uint64_t exits_to_native = 0; // of `exits`: the innermost frame resumed in native code
  // Of `exits`: continued by their context, without frames; and those without such a continuation.
  std::uint64_t dispatched_exits = 0, dispatch_misses = 0;
  std::uint64_t continuations = 0; // compiled for contexts
  // Mistakes of the dispatch, which programs cannot observe: continuations entered in a state that
  // their context excludes (all of them with NativeSettings::checks_contexts), and versions for
  // contexts of calls that are tested after one that theirs entails.
  std::uint64_t outside_context = 0, misplaced_versions = 0;
  std::uint64_t watchpoints = 0,
                watchpoints_invalidated = 0; // on elements of arrays: set, and invalidated
  // Runs of exits, each from code that the exit before it entered; the length of the longest.
  std::uint64_t cascades = 0, longest_cascade = 0;
  std::uint64_t compiled = 0, machine_code_bytes = 0, arrays = 0, code_invalidated = 0,
                optimized = 0;
  std::uint64_t bailouts = 0;    // from native code to the same instruction in the baseline
  std::uint64_t freed = 0;       // of `compiled`
  std::uint64_t osr_entries = 0; // activations that entered native code by OSR
  // The most exits of the code of one function, loop or continuation while it was installed.
  std::uint64_t most_exits = 0;
  // In the order of the program; those that calls may enter, of each function with several, and
  // those that the tiers made for contexts. With NativeSettings::counts_dispatches.
  std::vector<DispatchCounts> dispatched = {};
  double compile_seconds = 0;
  // Optimized versions that the verifier checked, by its verdict.
  std::uint64_t verified = 0, differing = 0, undecided = 0;
};

// Steps of the tiers in terms of the semantics, with states to compare: for a replay in the
// reference. On the thread of the program, in the order of the run.
struct TierStep {
  enum class Kind : std::uint8_t {
    Entered,     // from this call on, calls of its function enter `code`
    OsrEntry,    // the running frame continues in `into`, at its start
    Deopt,       // an exit was taken: `state` is that of its frames
    MappedDeopt, // the same by the deopt map of an optimized version, where it has no exit
    Bailout,     // the baseline continues, nothing else changes: `state` is the frame
  };
  Kind kind = Kind::Entered;
  std::uint64_t events = 0; // the event counter (is_counted_event()), this event included
  std::uint64_t depth = 0;  // continuations after it; OsrEntry: before it
  const ResolvedVersion* code = nullptr;   // Entered: the callee; otherwise: of the frame before,
  Pc pc = 0;                               // with its position
  const OptimizedVersion* added = nullptr; // the owner of `code`; null: it is of the program
  const OptimizedVersion* into = nullptr;  // OsrEntry
  const resolved::Exit* exit = nullptr;    // Deopt, MappedDeopt
  const Config* state = nullptr; // null: the step has none, or too many were recorded before
};

struct EngineHooks {
  std::function<void(std::string_view)> print; // a line, without its end
  const std::atomic<bool>* interrupt = nullptr;
  // These are TieringHooks.
  std::function<void(const TierEvent&)> tiers;
  std::function<void(const CompileJob&)> optimized;
  std::function<void(std::string_view)> warn;
  std::function<void(const MadeCode&)> made;
  // The program has ended, all that `tiers` reports has been reported but for jobs that are not
  // finished. On the thread of the program, with the lock of the names held; may be empty.
  std::function<void(std::span<const TierCounts>)> ended;
  // May be empty. With it back edges are counted, and each call reports what it enters: slower.
  std::function<void(const TierStep&)> steps;
};

struct EngineRun {
  std::uint64_t events = 0; // the event counter at the end; only counted for EngineHooks::steps
  Outcome outcome;
  // The last state as a configuration of the reference: the reported frames and the result, with
  // the arrays reachable from them.
  Config last;
  EngineStatistics statistics;
  std::optional<SamplingReport> sampling; // empty: the run was not sampled
  // NativeSettings::keeps_feedback; empty: there is none, or the run was abandoned.
  std::optional<FeedbackFile> feedback;
  // Native code, which does not poll, was left where Ctrl-C found it: frames and the last counts
  // are not known.
  bool left_native_code = false;
  // Ctrl-C found the thread where it cannot be stopped: it still runs. As the next.
  bool abandoned = false;
  // The compiler is still working: all arguments must live on, and the process must end by _exit.
  bool compiler_abandoned = false;
};

// Runs on a thread of its own with a stack as deep as the limits ask for, and waits for it. The
// result refers to the arguments.
EngineRun run_engine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                     const NativeSettings& settings, const EngineHooks& hooks);

// Calls `use` with a compiler for the program, which does not run: to show native code. Throws what
// the factory of the settings throws.
void with_compiler(const LinkedProgram& program, Names& names, const NativeSettings& settings,
                   const std::function<void(NativeCompiler&)>& use);

} // namespace sourir::native
