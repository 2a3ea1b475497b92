// The settings of a run in the native tier, and the callbacks that report what the tiers do.
#pragma once

#include "native/runtime/native_code.h"
#include "native/tiering/feedback_predicates.h"
#include "native/tiering/pass_optimizer.h"
#include "native/tiering/tiering_policy.h"
#include "profiler/settings.h"
#include "sourir/semantics/config.h"
#include "sourir/semantics/limits.h"

#include <chrono>
#include <functional>
#include <span>
#include <string_view>

namespace sourir::native {

// What the tiers want of a checker: whether a version that was just made does what the program
// does, from the state that requested it on. The native tier may not know the checks
// (ARCHITECTURE.md, the include table): the caller that starts an engine supplies one.

struct VersionToVerify {
  const LinkedProgram& running;
  const OptimizedVersion& added;
  // What its function is called with; arrays lie in the heap, with what they reach, bounded.
  std::span<const Value> arguments;
  const sourir::Heap& heap;
  Names& names;
};

enum class Verified : std::uint8_t { Holds, Differs, Undecided };

// On a compiler thread, one at a time, with the lock of the names held.
using Verifier = std::function<Verified(const VersionToVerify&)>;

class Machine;

// Makes the compiler of native code for a machine: compiler_loader.h does, from its library.
using CompilerFactory = std::function<std::unique_ptr<NativeCompiler>(Machine&)>;

struct NativeSettings {
  enum class Engine : std::uint8_t { Baseline, Native, Auto };
  Engine engine = Engine::Auto;
  Limits limits;
  unsigned level = 2; // of LLVM's optimizer
  // Native: every version is compiled before it first runs. Auto: when the policy decides so.
  TieringOptions tiers;
  // Auto, in the background: nothing is compiled before the program has run so long. What ends soon
  // is not slowed down by a compiler that comes too late.
  std::chrono::milliseconds quiet_start{0};
  CompilerFactory compiler;  // null: there is no native code, whatever the engine
  bool background = true;    // jobs run on a thread of their own, while the program runs on
  bool osr_in = true;        // loops that run enter native code
  bool continuations = true; // exits continue in native code where there is some
  bool watchpoints = true;   // guards on elements of arrays by array.h
  Optimizer optimizer; // Auto: makes the versions that are compiled; null: they are as written
  SpeculationOptions speculation;
  profiler::Settings sampling;
  Verifier verifier;      // of what the optimizer makes: what differs is not used; null: none
  Names* names = nullptr; // of the program; the optimizer makes new ones
  // A program that has stopped does not wait for the compiler: see EngineRun::compiler_abandoned.
  bool abandon_compiler = false;
};

// What the tiers of a running program do, for the callbacks.

struct TierEvent {
  enum class Kind : std::uint8_t {
    Compiled,    // native code is there from now on
    Invalidated, // it exited too often, and is not entered any more
    Reinstated,  // code that samples said is stale is entered again: they were wrong
    Deoptimized, // an activation went on in other native code or in the baseline
  };
  Kind kind = Kind::Compiled;
  const ResolvedVersion* code = nullptr; // the version that the native code is of
  Pc pc = 0;            // Compiled: where it is entered; Deoptimized: where it exited
  bool loop = false;    // Compiled: it is entered by a loop that runs
  bool exits = false;   // Compiled: it is entered by exits that lead there
  bool sampled = false; // Compiled, Invalidated: because of samples, which say the other is stale
  const Program* added = nullptr; // Compiled: the program with the version, if it is a new one
  // Deoptimized: by this exit of an assume or anchor; null: a bailout, and the baseline went on in
  // the same version.
  const resolved::Exit* exit = nullptr;
  bool native = false; // Deoptimized: it went on in native code, which is entered by exits
  std::uint64_t bytes = 0;
  double milliseconds = 0; // Compiled: of LLVM
};

// Native code that was just compiled: one code object for each request.
struct MadeCode {
  NativeCompiler& compiler; // which can show it
  std::span<const CompileRequest> requests;
  const CompileOptions& options;
  std::span<const NativeCode* const> codes;
};

// On the thread of the program or of the compiler, one at a time, with the lock of the names held.
// Each may be empty.
struct TieringHooks {
  std::function<void(const TierEvent&)> tiers;
  // Something went wrong that the program need not notice.
  std::function<void(std::string_view)> warn;
  std::function<void(const MadeCode&)> made;
};

} // namespace sourir::native
