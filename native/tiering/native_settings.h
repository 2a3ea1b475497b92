// How a program is run by the native tier, and who is told what the tiers do.
#pragma once

#include "native/runtime/native_code.h"
#include "native/tiering/feedback_predicates.h"
#include "native/tiering/tiering_policy.h"
#include "native/tiering/verifier.h"
#include "profiler/settings.h"
#include "sourir/semantics/limits.h"

#include <chrono>
#include <functional>

namespace sourir::native {

class Machine;

// Makes the compiler of native code for a machine: compiler_loader.h does, from its library.
using CompilerFactory = std::function<std::unique_ptr<NativeCompiler>(Machine&)>;

struct NativeSettings {
  enum class Engine : std::uint8_t { Baseline, Native, Auto };
  Engine engine = Engine::Auto;
  Limits limits;
  unsigned level = 2; // of LLVM's optimizer
  // Native: every version is compiled before it first runs. Auto: when the policy says so.
  TieringOptions tiers;
  // Auto, in the background: nothing is compiled before the program has run so long. What ends soon
  // is not slowed down by a compiler that comes too late.
  std::chrono::milliseconds quiet_start{0};
  CompilerFactory compiler;  // null: there is no native code, whatever the engine
  bool background = true;    // jobs run on a thread of their own, while the program runs on
  bool osr_in = true;        // loops that run enter native code
  bool continuations = true; // exits go on in native code where there is some
  bool watchpoints = true;   // guards on elements of arrays by watchpoint.h
  Optimizer optimizer; // Auto: makes the versions that are compiled; null: they are as written
  SpeculationOptions speculation;
  profiler::Settings sampling;
  Verifier verifier;      // of what the optimizer makes: what differs is not used; null: none
  Names* names = nullptr; // of the program; the optimizer makes new ones
  // A program that has stopped does not wait for the compiler: see EngineRun::compiler_left.
  bool leave_compiler = false;
};

} // namespace sourir::native
