// What the rest of the machine knows of native code, and who makes it. native/llvm_lowering
// implements NativeCompiler; it is a shared library that is loaded when it is first needed.
//
// The calling convention. Native code of a version with n parameters is a C function
//   NativeResult f(std::int64_t depth, bits0, tag0, bits1, tag1, ...)      (uint64_t each)
// where depth counts down: the number of continuations that may still be pushed. Code for entering
// by OSR (at a loop that runs, after an exit that was taken) is
//   NativeResult f(std::int64_t depth, const Value* slots)        (the environment by slot)
// Either returns what the activation returns in the end. Where it takes an exit, code for
// calls runs the rest below it (rt_deoptimize); an OSR entry returns
// kDeoptimized to the runtime, which called it and goes on with the materialized frames:
// so frames do not pile up where exits lead in circles. Errors, limits and `stop` do not
// return: the runtime unwinds.
#pragma once

#include "native/runtime/site_feedback.h"
#include "profiler/sampled_code.h"
#include "sourir/semantics/resolved.h"

#include <atomic>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sourir::native {

class Machine;
struct CompilerHost;

struct NativeResult { // in two registers
  std::uint64_t bits = 0;
  std::uint64_t tag = 0;
};
// Tags of results that are no values: the runtime function did nothing (the operation would be an
// error, or would reach a limit); and: the activation was deoptimized, its frames are materialized.
inline constexpr std::uint64_t kNoValue = 0xFF, kDeoptimized = 0xFE;

// Functions with more parameters stay in the baseline.
inline constexpr std::uint32_t kMostNativeParameters = 12;

// A loop of the version that the code goes on in: where the word at `ready` is not 0 there is code
// to enter at its head, more optimized than this.
struct TierUpLoop {
  Pc head = 0;
  const void* ready = nullptr;
};

struct CompileRequest {
  const ResolvedVersion* code = nullptr;
  Pc start = 0;
  bool entry = true;            // for calls; otherwise entered at `start` with all slots
  bool parameters_only = false; // no entry: of the slots only the first ones, parameters, are bound
  const SiteFeedback* feedback = nullptr; // one a position; null: none
  // Types assumed where the code is entered, one a slot (for calls: a parameter), Unbound: any;
  // null: none. They are tested there; with other ones the activation goes on in the baseline.
  const Tag* assumed = nullptr;
  // A call of the function by itself enters this very version (no context, no schedule decides).
  bool calls_itself = false;
  // Polls the request of this, and reports what its `sample_slots` hold; null: neither. It must
  // outlive the code.
  profiler::SampledCode* sampled = nullptr;
  std::vector<TierUpLoop> tier_up_loops = {}; // an OSR entry exits at these heads
};

struct CompileOptions {
  unsigned level = 2;        // 0: fast to make
  bool forced_exits = false; // ask the schedule at each exit that could be taken
  bool fuel = false;         // count at calls and back edges
  bool entries = false;      // say so where calls enter (rt_entered)
  bool verify = false;       // let LLVM check the module that was made
  // Code that is sampled counts this down at back edges and where it returns, and calls
  // rt_take_sample below zero: the trigger that is the same in each run. Null: it does not.
  std::int64_t* event_counter = nullptr;
};

// What a slot for samples holds: the type of the value that the instruction at `at` bound last, or
// that this parameter came with.
struct SampleSlot {
  bool parameter = false;
  std::uint32_t at = 0;
};

// Code of one version, freed by its destructor (nobody may be inside it then).
class NativeCode {
public:
  virtual ~NativeCode() = default;
  void* entry = nullptr;
  const ResolvedVersion* code = nullptr;
  Pc start = 0;
  std::uint64_t begin = 0, size = 0; // machine code addresses
  std::vector<SampleSlot> sample_slots;
  profiler::SampledCode* sampled = nullptr; // that of the request
  // The position whose call returns to this address; empty: not an address after a call of it.
  virtual std::optional<Pc> call_at(std::uint64_t return_address) const = 0;
};

// An exit of the code of a version, as it is before LLVM's optimizer, which drops those that it
// can prove are never taken.
struct NativeExit {
  enum class Kind : std::uint8_t {
    Exit,       // of the assume or anchor at `at`
    Bailout,    // the baseline goes on at `at`, or where the state map of an added version says
    OtherTypes, // the same, where the code was entered with types that it does not assume
    OutOfFuel,  // the run ends there
  };
  struct Sent { // a variable whose value goes along
    Slot slot = 0;
    TypeSet types; // one: its type is a constant
  };
  Kind kind = Kind::Bailout;
  Pc at = 0;
  std::vector<Sent> sent;
  std::uint32_t slots = 0; // that have a place in what is handed over: two words each
  bool in_memory = false;  // level 0: all values lie in the frame anyway, which is handed over
};

// There is no compiler of native code, or it cannot be used.
struct NoCompiler : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class NativeCompiler {
public:
  virtual ~NativeCompiler() = default;
  // One module for all of them; in the order of the requests. Throws std::runtime_error with what
  // LLVM said if it fails, which is a bug.
  virtual std::vector<std::unique_ptr<NativeCode>> compile(std::span<const CompileRequest> requests,
                                                           const CompileOptions& options) = 0;
  // For people: the module as LLVM IR (before and after optimizing) and as assembly.
  enum class Form : std::uint8_t { Llvm, Optimized, Assembly };
  virtual std::string show(std::span<const CompileRequest> requests, const CompileOptions& options,
                           Form form) = 0;
  // What is compiled from now on is for this machine; what was is as it is. The runtime functions
  // stay the same.
  virtual void serve(const CompilerHost& host) = 0;
  // In the order of the code.
  virtual std::vector<NativeExit> exits(const CompileRequest& request,
                                        const CompileOptions& options) = 0;
};

// What native code and the interpreter know of a function of the running program. The cells of a
// machine never move; native code contains their addresses.

struct Insn;

struct FunctionCell {
  // Native code for calls by the convention of native_code.h; null: rt_call, which runs the
  // baseline. Set by whoever installs code; read at each call.
  std::atomic<void*> entry = nullptr;
  std::uint32_t arity = 0;
  FunName name;
  const LinkedProgram::Fun* fun = nullptr; // null: no function has this name

  // Of the baseline. Where calls enter: the first instruction of the one version, or one that
  // translates it first, or one that tests contexts.
  Insn* baseline = nullptr;
  // The largest of its versions that may be entered; the parameters' where it is not yet known.
  std::uint32_t frame_bytes = 0;
  std::uint64_t calls = 0;                  // made by the baseline
  std::uint64_t hot_at = ~std::uint64_t{0}; // so many: Machine::call_hot
};
static_assert(sizeof(std::atomic<void*>) == 8);

} // namespace sourir::native
