// One run of a program in the native tier: the link between the interpreter, native code, the
// deoptimizer and the tiers. Each event of one of them (a hot call, a loop header, an exit, a call
// of the runtime) is forwarded to the others that it concerns.
// Threads: of the program, but for new_watchpoint() and compiler_host().
#pragma once

#include "native/deopt/deoptimizer.h"
#include "native/engine/baseline_events.h"
#include "native/engine/engine.h"
#include "native/engine/exit_log.h"
#include "native/engine/sampling.h"
#include "native/engine/stack_walk.h"
#include "native/engine/step_recorder.h"
#include "native/interpreter/interpreter.h"
#include "native/runtime/native_code.h"
#include "native/tiering/tiering_manager.h"
#include "sourir/semantics/value.h"

#include <csetjmp>

namespace sourir::native {

// The native code that called the runtime.
struct NativeCaller {
  std::int64_t depth = 0;      // return frames that its callee may push
  const void* frame = nullptr; // of the runtime function
  bool replaced = false;       // the native frame was exited and only returns a result
};

class Machine final : InterpreterHost, DeoptHost {
public:
  // Throws std::bad_alloc if the stacks cannot be reserved, and what the compiler throws.
  Machine(const LinkedProgram& program, Input& input, const Schedule& schedule,
          const NativeSettings& settings, const EngineHooks& hooks);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Runs main to the end. Native code that calls the runtime below the stack address `low` ends the
  // run; null: it never does.
  EngineRun run(const std::byte* low = nullptr);
  // Precondition: the run is over. False: the compiler is still working and uses this object.
  bool stop_compiler() { return tiering_.stop(); }
  const FeedbackStore& feedback() const { return feedback_; }
  // For a compiler of native code. On any thread.
  CompilerHost compiler_host();

  // --- Calls of the runtime by native code (runtime_calls.h) ---
  Heap& heap() { return interpreter_.heap; }
  bool print(Value v) { return interpreter_.print(v); } // false: the output limit
  EvalResult read() { return interpreter_.read(); }
  [[noreturn]] void stop(Value result) override;
  [[noreturn]] void out_of_fuel(const ResolvedVersion& version, Pc pc, const Value* slots,
                                const NativeCaller& caller);
  // Empty: an error or a limit; nothing has happened.
  std::optional<Value> call(const NativeCaller& caller, Value callee,
                            std::span<const Value> arguments);
  // Runs the rest of an activation whose native code was exited, with its slots on the C stack.
  // Returns the result of the activation.
  Value run_after(const DeoptEvent& exited, Value* slots, const NativeCaller& caller);
  // Native code dispatches a call, the arguments of which the tiers want to see.
  void dispatched_call(FunctionCell& f, const Value* arguments) {
    tiering_.at_dispatch(f, arguments);
  }
  // OSR code was exited: materializes the frames, where Deoptimizer::enter() continues.
  void exit_osr_code(const DeoptEvent& exited, Value* slots);
  void entered(const ResolvedVersion& version) override { recorder_.entered(version); }
  bool wants_exit(const ResolvedVersion* version, Pc pc) override;
  struct AskedExit {
    bool taken = false;
    std::int64_t until_asked = 1; // Registers::until_asked from now on
  };
  // At opportunity number asked_.
  AskedExit ask_for_exit(const ResolvedVersion* version, Pc pc);
  // Sampled code polls (rt_poll_sample and so on), or its event counter is used up (rt_take_sample,
  // `frame` of the runtime function).
  profiler::Answer poll_sample(profiler::SampledCode& code, std::uint32_t bits);
  profiler::Answer poll_loop(profiler::SampledCode& code, std::uint32_t bits);
  void* poll_entry(profiler::SampledCode& code);
  void begin_instrumented(profiler::SampledCode& code) { code.begin_instrumented(sampling_.now()); }
  profiler::Answer take_sample(profiler::SampledCode& code, const void* frame, std::uint32_t bits);
  void report_sample(profiler::SampledCode& code, const std::uint64_t* words) {
    sampling_.receive(code, words);
  }
  // On any thread. Null: the maximum is reached.
  Watchpoint* new_watchpoint(std::uint64_t index, Value value);
  [[noreturn]] void dropped_exit();
  // In a signal handler on the thread of the program: ends the run if the interrupted instruction
  // is one of native code, which holds no lock.
  void leave_native_code(std::uint64_t instruction);
  // Ends the run where the frame of the runtime function is in the reserve of the stack: a fault
  // further down would abandon the run with the locks that it holds.
  void check_stack(const void* frame) {
    if (frame < stack_low_) [[unlikely]]
      stack_used_up();
  }

private:
  profiler::Answer leave_loop();
  // InterpreterHost
  [[noreturn]] void end(const StepResult& last, const Insn* ip, const char* base) override;
  BaselinePosition at_loop_header(Insn* ip, Pc head, char* base, std::int64_t iterations) override;
  BaselinePosition at_continuation(Insn* ip, Pc pc, char* base) override;
  void* at_call(FunctionCell& f, const Value* arguments, const Insn* ip) override;
  BaselinePosition call_native(void* entry, char* frame, std::uint32_t arguments) override;
  const ResolvedVersion& version_for(const FunctionCell& f, const Value* arguments) override;
  void* native_entry(const ResolvedVersion& version) override;
  BaselinePosition take_exit(const resolved::Exit& exit, Insn* ip, char* base) override;
  // DeoptHost
  const resolved::Exit* deopt_map(const ResolvedVersion& version, Pc pc) override;
  const DeoptTarget* dispatch_target(const resolved::Exit& exit) override {
    return tiering_.dispatch_target(exit);
  }
  OsrCode dispatch(const DeoptEvent& event, ExitDispatch& exit, DeoptCause cause,
                   const Value* values) override;
  void exit_dispatched(const DeoptEvent& event, const DeoptTarget& target, const Value* values,
                       const OsrCode& code) override;
  void osr_entered(const ResolvedVersion& from, Pc pc, const OsrCode& code) override;
  OsrCode deoptimized(const DeoptEvent& event) override;
  void resumed(const ResolvedVersion& version, Pc pc, const Value* slots) override;
  void exited(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
              const char* base) override;
  void bailed_out(const ResolvedVersion& version, Pc pc, const char* base) override;
  BaselinePosition bind_result(Value value) override { return interpreter_.bind_result(value); }
  void poll(BaselinePosition at) override { interpreter_.poll(at.ip, at.base); }
  [[noreturn]] void stuck(StuckReason why, BaselinePosition at) override;
  [[noreturn]] void limit(Limit limit, BaselinePosition at) override;

  InterpreterOptions interpreter_options();
  TieringContext tiering_context();
  bool limits_fuel() const;
  void give_fuel_to_native_code();
  bool forces_exits() const;
  const ResolvedVersion& version_for(const LinkedProgram::Fun& f, const Value* arguments);
  NativeResult call_below(void* entry, std::int64_t depth, const Value* arguments, std::uint32_t n,
                          const void* native_frame);
  // Frees invalidated code that no activation uses. ip: the instruction of the interpreter; null:
  // the innermost activation is in native code.
  void free_unused_code(const Insn* ip);
  DeoptEvent in_language(DeoptEvent event, Value* slots);
  Config state_of(std::span<const FrameState> frames) const;
  [[noreturn]] void stack_used_up();
  [[noreturn]] void escape();
  std::string what_runs(const NativeCode& code) const;
  void run_main();
  void conclude(const StepResult& last, std::span<const FrameState> frames, std::uint64_t depth,
                Value result);
  EngineStatistics statistics();

  const LinkedProgram& program_;
  Input& input_;
  const Schedule& schedule_;
  const NativeSettings& settings_;
  const EngineHooks& hooks_;
  SharedNames names_;
  CodeCache cache_;
  FeedbackStore feedback_;
  SampledCodes sampled_;
  BaselineEvents events_;
  Interpreter interpreter_;
  Deoptimizer deoptimizer_;
  Sampling sampling_;
  StepRecorder recorder_;
  ExitLog exit_log_;
  ScannedStack watchpoints_;
  std::atomic<std::size_t> next_watchpoint_ = 0;
  bool leaves_loop_ = false;      // native code bails out next, for a sample
  bool forcing_ = false;          // an exit is forced, its frames are not materialized yet
  bool last_exit_forced_ = false; // of the exits whose frames are materialized
  std::uint64_t version_choices_ = 0, forced_ = 0, bailouts_ = 0;
  std::uint64_t asked_ = 1; // the number of the opportunity at which the schedule is asked next
  std::uint64_t outside_context_ = 0; // exits dispatched to a context that does not hold
  std::jmp_buf escape_;
  const void* stack_low_ = nullptr;
  const NativeCode* left_ = nullptr; // the run was ended in it
  EngineRun ended_;
  TieringManager tiering_;
};

// Calls native code by its convention (native/runtime/native_code.h). depth: return frames that the
// callee may still push. n: at most kMostNativeParameters.
NativeResult call_native_code(void* entry, std::int64_t depth, const Value* arguments,
                              std::uint32_t n);

} // namespace sourir::native
