// The interface to native code and its compiler: calling convention, compile requests, code
// objects, exits, and the function cells that native code and the interpreter share. The shared
// library native/llvm_lowering implements NativeCompiler; it is loaded when first needed.
//
// The calling convention. Native code of a version with n parameters is a C function
//   NativeResult f(std::int64_t depth, bits0, tag0, bits1, tag1, ...)      (uint64_t each)
// where depth counts down: the number of continuations that may still be pushed. Code for entering
// by OSR (at a running loop, after an exit) is
//   NativeResult f(std::int64_t depth, const Value* slots)        (the environment by slot)
// Either returns the result of the activation. At an exit, code for calls runs the rest of the
// activation in a callee (rt_deoptimize); OSR code returns kDeoptimized to the runtime, its caller,
// which continues with the materialized frames, so that exits in a cycle do not pile up frames.
// Errors, limits and `stop` do not return: the runtime unwinds.
#pragma once

#include "native/runtime/site_feedback.h"
#include "profiler/event_code.h"
#include "profiler/sampled_code.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/context.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sourir::native {

class Machine;
struct CompilerHost;
struct FunctionCell;

struct NativeResult { // in two registers
  std::uint64_t bits = 0;
  std::uint64_t tag = 0;
};
// Tags of results that are no values. kNoValue: the runtime function had no effect (the operation
// would be an error, or would reach a limit). kDeoptimized: the frames are materialized.
inline constexpr std::uint64_t kNoValue = 0xFF, kDeoptimized = 0xFE;

// Functions with more parameters are not compiled.
inline constexpr std::uint32_t kMostNativeParameters = 12;

// A loop of the compiled version. A word other than 0 at `ready`: more optimized code can be
// entered at the loop header.
struct TierUpLoop {
  Pc head = 0;
  const void* ready = nullptr;
};

struct CompileRequest {
  const ResolvedVersion* code = nullptr;
  Pc start = 0;
  bool entry = true;            // for calls; otherwise entered at `start` with all slots
  bool at_loop = false;         // OSR: from back edges of the loop of the baseline
  bool parameters_only = false; // OSR: only the first slots, the parameters, are bound
  // All callers find the code in FunctionCell::entry, but for recursive calls.
  bool by_cell = false;
  // Recursive calls enter this version (no context and no schedule decides).
  bool calls_itself = false;
  // The dispatcher tests `(a is int[])` in the context of the version by the storage of the array.
  bool tested_by_storage = false;
  // Not null: the dispatcher of this function instead, and `code` is one of its versions.
  const FunctionCell* dispatched = nullptr;
  // The record whose sample request the code polls, and of its `sample_slots`; null: it has none.
  // It must outlive the code.
  profiler::SampledCode* sampled = nullptr;
  // Instrumented: the code reports. Otherwise it polls to enter the instrumented code of the same
  // request, whose `sampled` is the same.
  bool instrumented = true;
  // Accesses of elements whose arrays were found in several storages: it is sampled which.
  std::vector<Pc> sampled_storages = {};
  // Branches that often take either successor, by the feedback: a loop that one of them leaves
  // runs for few iterations.
  std::vector<Pc> leave_soon = {};
  // Back edges at which code that is not instrumented does not poll: its loop takes another one.
  std::vector<Pc> without_polls = {};
  std::vector<TierUpLoop> tier_up_loops = {}; // OSR code exits at these headers
};

struct CompileOptions {
  unsigned level = 2;             // 0: fast to compile
  bool forced_exits = false;      // ask the schedule at each exit that could be taken
  bool fuel = false;              // count at calls and back edges
  bool entries = false;           // report where calls enter (rt_entered)
  bool drops_exits = false;       // an exit or a bailout ends the run (rt_dropped_exit)
  bool guard_values = false;      // exits hand over the variables that guards read, for the log
  bool counts_dispatches = false; // count in the dispatch tables
  bool verify = false;            // run LLVM's verifier on the module
  // Not null: the code counts these events (NativeCode::events).
  const profiler::EventOptions* events = nullptr;
  // The deterministic trigger: sampled code counts this down at back edges and returns, and calls
  // rt_take_sample below zero. Null: it does not.
  std::int64_t* event_counter = nullptr;
};

// The content of a sample slot: the type of the value that the instruction at `at` bound last, or
// of the argument for parameter `at`; or the storage of the array that the instruction accessed.
struct SampleSlot {
  bool parameter = false;
  std::uint32_t at = 0;
  bool storage = false;
};

// Code of one version, freed by its destructor. Precondition of that: no activation uses it.
class NativeCode {
public:
  virtual ~NativeCode() = default;
  void* entry = nullptr;
  const ResolvedVersion* code = nullptr;
  Pc start = 0;
  bool at_entry = true;              // CompileRequest::entry
  std::uint64_t begin = 0, size = 0; // machine code addresses
  std::vector<SampleSlot> sample_slots;
  profiler::SampledCode* sampled = nullptr; // that of the request
  std::uint64_t decoder_size = 0;           // bytes of machine code outside those addresses
  // What it counts, of each of its functions of LLVM; they outlive the code.
  std::vector<std::shared_ptr<profiler::EventCode>> events;
  // The position of the call that returns to this address; empty: no such call.
  virtual std::optional<Pc> call_at(std::uint64_t return_address) const = 0;
};

// An exit of the code of a version before LLVM's optimizer, which drops those that it proves dead.
struct NativeExit {
  enum class Kind : std::uint8_t {
    Exit,      // of the assume or anchor at `at`
    Bailout,   // the baseline resumes at `at`, or where the deopt map of an optimized version says
    OutOfFuel, // the run ends there
  };
  struct Sent { // a variable whose value is handed over
    Slot slot = 0;
    TypeSet types; // one: its type is a constant
  };
  Kind kind = Kind::Bailout;
  Pc at = 0;
  std::vector<Sent> sent;
  std::uint32_t slots = 0; // that are handed over: two words each
  bool in_memory = false;  // level 0: all values lie in the frame anyway, which is handed over
};

// An instruction of LLVM after its optimizer.
struct IrLine {
  std::optional<Pc> at; // the position that it was made for; empty: LLVM does not know
  std::string block;    // its label
  std::string text;     // without metadata
};
struct AssemblyOfIr {
  std::vector<IrLine> lines;
  std::string assembly; // a `.loc` with line n: what follows is of lines[n - 1]; 0: of none
};

// A pass of LLVM's optimizer that changed a function.
struct PassChange {
  std::uint32_t number = 0; // of all passes, in the order in which they ran; 0: before them
  std::string pass;         // LLVM's name of it; empty: the code as it was lowered
  std::string function;
  std::uint32_t instructions = 0; // after it, without markers of events
  std::uint64_t hash = 0;         // of the code after it, without these, names and metadata
};

// No compiler of native code is available.
struct NoCompiler : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class NativeCompiler {
public:
  virtual ~NativeCompiler() = default;
  // One module for all requests; code objects in their order. Throws std::runtime_error with LLVM's
  // message if it fails, which is a bug.
  virtual std::vector<std::unique_ptr<NativeCode>> compile(std::span<const CompileRequest> requests,
                                                           const CompileOptions& options) = 0;
  // For people: the module as LLVM IR (before and after optimizing) and as assembly.
  enum class Form : std::uint8_t { Llvm, Optimized, Assembly };
  virtual std::string show(std::span<const CompileRequest> requests, const CompileOptions& options,
                           Form form) = 0;
  // The same, with the LLVM instruction of each part of the assembly.
  virtual AssemblyOfIr assembly_of_ir(std::span<const CompileRequest> requests,
                                      const CompileOptions& options) = 0;
  virtual std::vector<PassChange> passes(std::span<const CompileRequest> requests,
                                         const CompileOptions& options) = 0;
  // The host of all code compiled from now on; earlier code keeps its host. The runtime functions
  // stay the same.
  virtual void serve(const CompilerHost& host) = 0;
  // In the order of the code.
  virtual std::vector<NativeExit> exits(const CompileRequest& request,
                                        const CompileOptions& options) = 0;
};

struct Insn;

// How calls of a function with several versions choose one by its context. A dispatcher is native
// code that tests the contexts in an order and jumps to the code of the first one that holds; where
// native code knows the types of the arguments, it calls that version itself.
//
// The versions are those of the program, or the tiers make them (docs/contexts.md): then the last
// one is for all other calls, and the table grows on the thread of the compiler, which alone reads
// `entries` and `order` meanwhile.
struct DispatchTable {
  struct Entry {
    Context context;
    std::vector<resolved::Expr> when; // its guards, on the slots of the parameters
    bool required = true;             // false: while it has no code, calls go on to the next entry
    // Code for calls of the version; null: none. Set by CodeCache; read by native code.
    std::atomic<void*> code = nullptr;
    // Calls that entered the version: after tests of the arguments, and without. Native code counts
    // only with CompileOptions::counts_dispatches.
    std::uint64_t tested_calls = 0, direct_calls = 0;
  };

  // Adds an entry that is tested last, or just before those that its context entails.
  Entry& append(std::vector<resolved::Expr> when);
  Entry& insert(Context context, std::vector<resolved::Expr> when);
  // Calls may enter code by the dispatcher.
  bool is_complete() const {
    return dispatcher != nullptr && std::ranges::all_of(entries, [](const Entry& e) {
             return !e.required || e.code.load() != nullptr;
           });
  }

  std::deque<Entry> entries;   // they do not move. Of the program: by LinkedProgram::Fun::dispatch
  std::vector<Entry*> order;   // in which calls test them
  bool in_native_code = false; // otherwise the runtime chooses, and there is no dispatcher
  bool by_tiers = false;       // the tiers make the versions
  void* dispatcher = nullptr;  // null: it is not compiled. CodeCache's, under its lock
  // by_tiers: calls until rt_dispatched_call gets the arguments of one. Set by the tiers, counted
  // down by the dispatcher.
  std::int64_t until_report = 1;
};

// Whether native code can test this guard of a context: of all but the opaque ones (Context), and
// only such as cannot fail with an error.
inline bool is_tested_natively(const resolved::Expr& guard) {
  using enum resolved::Shape;
  const auto op = static_cast<BinaryOp>(guard.op);
  switch (guard.shape) {
  case Simple:
  case KindTest:
  case ElementsTest: return true;
  case Unary: return static_cast<UnaryOp>(guard.op) == UnaryOp::Not;
  case Binary: return op == BinaryOp::Eq || op == BinaryOp::Ne || op == BinaryOp::And;
  default: return false;
  }
}

// A function of the running program, for native code and the interpreter. The cells of a machine
// never move; native code contains their addresses.
struct FunctionCell {
  // Native code for calls by the convention above, of a version or the dispatcher; null: rt_call,
  // which runs the baseline. Set by CodeCache; read at each call.
  std::atomic<void*> entry = nullptr;
  std::uint32_t arity = 0;
  FunName name;
  const LinkedProgram::Fun* fun = nullptr; // null: no function has this name
  std::unique_ptr<DispatchTable> dispatch; // null: calls may enter one version only

  // Where calls enter the baseline: the first instruction of the one version, or one that
  // translates it first, or one that tests contexts.
  Insn* baseline = nullptr;
  // Of the largest version that calls may enter; of the parameters where that is not yet known.
  std::uint32_t frame_bytes = 0;
  std::uint64_t calls = 0;                  // made by the baseline
  std::uint64_t hot_at = ~std::uint64_t{0}; // of `calls`: then Interpreter::call_hot
};
static_assert(sizeof(std::atomic<void*>) == 8);

} // namespace sourir::native
