// The settings of a run in the native tier, and the events of the tiers with their hooks.
#pragma once

#include "native/runtime/native_code.h"
#include "native/tiering/context_policy.h"
#include "native/tiering/feedback_predicates.h"
#include "native/tiering/pass_optimizer.h"
#include "native/tiering/tiering_policy.h"
#include "profiler/event_code.h"
#include "profiler/settings.h"
#include "sourir/semantics/config.h"
#include "sourir/semantics/limits.h"

#include <chrono>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace sourir::native {

// --- The verifier ---
//
// It checks that a new optimized version behaves as the program does, from the state that led to
// its job. The native tier may not include the checks (ARCHITECTURE.md, the include table): who
// starts an engine passes one.

// The arguments of a call; arrays are in `heap` with what they reach, up to a bound.
struct EntryState {
  std::vector<Value> arguments;
  const sourir::Heap& heap;
};

struct VersionToVerify {
  const LinkedProgram& running;
  const OptimizedVersion& added;
  std::span<const EntryState> states; // of calls of its function, the one that led to it last
  Names& names;
};

enum class Verified : std::uint8_t { Holds, Differs, Undecided };

// On the compiler thread, one at a time, with the lock of the names held.
using Verifier = std::function<Verified(const VersionToVerify&)>;

class Machine;

// Makes the compiler of native code for a machine, from its library: compiler_loader.h.
using CompilerFactory = std::function<std::unique_ptr<NativeCompiler>(Machine&)>;

struct NativeSettings {
  enum class Engine : std::uint8_t { Baseline, Native, Auto };
  Engine engine = Engine::Auto;
  Limits limits;
  unsigned level = 2; // of LLVM's optimizer
  // Native: every version is compiled before it first runs. Auto: when the policy decides so.
  TieringOptions tiers;
  ContextOptions contexts; // Auto: of versions that the tiers make
  // Auto, in the background: the program runs this long before anything is compiled, so that
  // compiling does not slow down short runs.
  std::chrono::milliseconds quiet_start{0};
  CompilerFactory compiler;  // null: there is no native code, whatever the engine
  bool background = true;    // jobs run on a thread of their own, while the program runs
  bool osr_in = true;        // running loops enter native code
  bool continuations = true; // exits continue in native code where there is some
  bool watchpoints = true;   // guards on elements of arrays by array.h
  // An experiment that is unsound: native code without what its exits and bailouts need. A run that
  // reaches one ends (dissertation 4.7: what exits cost).
  bool drops_exits = false;
  Optimizer optimizer; // Auto: makes the versions that are compiled; null: those of the source
  SpeculationOptions speculation;
  profiler::Settings sampling;
  // Events are counted there; it outlives the run. Null: none are. Not together with samples.
  std::shared_ptr<profiler::EventRecording> events;
  Verifier verifier;           // of optimized versions: only those that hold are used; null: none
  Names* names = nullptr;      // of the program; the optimizer makes new ones
  bool keeps_feedback = false; // EngineRun::feedback
  bool counts_dispatches = false; // EngineStatistics::dispatched, also by native code
  bool checks_contexts = false;   // EngineStatistics::outside_context of each exit: a check of ours
  // A program that has stopped does not wait for the compiler: see EngineRun::compiler_abandoned.
  bool abandon_compiler = false;
};

// --- Events of the tiers ---

struct CompileJob;
struct DeoptContext;
struct ExitDetails;
struct OsrEntry;

// Why the compiler made no code for a version, or none of an optimized one.
enum class Refusal : std::uint8_t {
  TooLarge,   // it has more instructions than TieringOptions allow
  Parameters, // more than kMostNativeParameters
  NoCompiler, // there is no library with the compiler
  Failed,     // an error of the compiler
  Differs,    // the verifier's verdict of the optimized version
  Undecided,  // likewise
};

struct TierEvent {
  enum class Kind : std::uint8_t {
    Compiled,    // native code was compiled
    NotCompiled, // a request for native code, or for an optimized version, was refused
    Invalidated, // code is not entered any more: it exited too often, or is stale
    Reinstated,  // code found stale is entered again: the recompiled code was invalidated
    Deoptimized, // an activation continues in other native code or in the baseline
  };
  Kind kind = Kind::Compiled;
  const ResolvedVersion* code = nullptr; // the version that the native code is of
  Pc pc = 0;                             // where the code is entered; Deoptimized: where it exited
  // Where activations enter the code; null: it is for calls of its function.
  const OsrEntry* entry = nullptr;
  bool loop = false;              // Compiled: it is entered at a loop header
  bool exits = false;             // Compiled: it is entered after exits
  bool sampled = false;           // Compiled, Invalidated: because samples found code stale
  bool instrumented = false;      // Compiled: only to report samples, for code that was there
  const Program* added = nullptr; // Compiled: the program with the version, if it is a new one
  // Compiled, NotCompiled: the job; null: the code was compiled before the program started, or
  // together with the code that exits to it.
  const CompileJob* job = nullptr;
  // NotCompiled.
  Refusal refusal = Refusal::Failed;
  // The optimized version that was refused: the version of the job is compiled instead.
  const ResolvedVersion* refused_version = nullptr;
  std::uint64_t size = 0;          // TooLarge: instructions
  std::string_view detail;         // Failed, NoCompiler: the message
  std::uint64_t exit_count = 0;    // Invalidated: exits of the code that count against it
  std::uint32_t invalidations = 0; // Invalidated: of the function or entry, this one included
  bool resets_feedback = false;    // Invalidated
  // Deoptimized: by this exit of an assume or anchor; null: a bailout, or a tier-up (`native`).
  const resolved::Exit* exit = nullptr;
  // Deoptimized, where frames of an exit or of a deopt map were materialized: why, and the frames.
  const ExitDetails* details = nullptr;
  bool interpreted = false; // Deoptimized: the interpreter took the exit, not native code
  bool native = false;      // Deoptimized: it continues in native code
  // Deoptimized: it continues in the code for this context. Compiled: CompileJob::context.
  const DeoptContext* context = nullptr;
  std::uint64_t bytes = 0;
  double milliseconds = 0; // Compiled: of LLVM
};

// The counts of one function or one entry of running activations, at the end of a run.
struct TierCounts {
  const ResolvedVersion* version = nullptr; // calls: the one that is compiled; or of the entry
  const OsrEntry* entry = nullptr;          // null: calls
  // Since the last invalidation: calls by the interpreter; iterations; exits that led there.
  std::uint64_t calls = 0, iterations = 0, arrivals = 0;
  // The numbers of these from which on native code is requested.
  std::uint64_t calls_needed = 0, iterations_needed = 0, arrivals_needed = 0;
  std::uint32_t invalidations = 0;
  bool requested = false; // since the last invalidation: a job is waiting or running, or has failed
  std::vector<const ResolvedVersion*> installed; // whose code is entered; empty: none
};

// Newly compiled native code: one code object for each request.
struct MadeCode {
  NativeCompiler& compiler; // for NativeCompiler::show()
  std::span<const CompileRequest> requests;
  const CompileOptions& options;
  std::span<const NativeCode* const> codes;
};

// Each may be empty. On the thread of the program or of the compiler; `tiers` and `made` one at a
// time, with the lock of the names held.
struct TieringHooks {
  std::function<void(const TierEvent&)> tiers;
  // An optimized version was made from the feedback of this job. Called as `tiers`.
  std::function<void(const CompileJob&)> optimized;
  // A failure that does not affect the program.
  std::function<void(std::string_view)> warn;
  std::function<void(const MadeCode&)> made;
};

} // namespace sourir::native
