// One run of a program in the native tier: functions, heap, stacks, input and output. The stacks
// are reserved address ranges; of the values, the collector scans what is below the top.
#pragma once

#include "native/deopt/reference_state.h"
#include "native/engine/engine.h"
#include "native/interpreter/bytecode.h"
#include "native/runtime/function_cell.h"
#include "native/runtime/heap.h"
#include "native/tiering/tiering.h"

#include <csetjmp>
#include <deque>
#include <unordered_map>

namespace sourir::native {

// A continuation <I L x E>: x is a field of the call, L lies behind it. The lowest of each run of
// the interpreter is no continuation: its "call" is followed by what ends the run.
struct Waiting {
  Insn* call;
  char* base;
};
static_assert(sizeof(Waiting) == sizeof(Value)); // their stack is reserved as one of values

// Native code called the runtime, or the interpreter native code: what a walk over all frames
// needs to know. They lie on the C stack, the innermost first.
struct Boundary {
  Boundary* outer;
  Waiting* frames;          // those from here on are further in
  const void* native_frame; // the frame pointer of the function that native code called; null: none
  bool replaced;            // the innermost native frame was left by an exit
  bool interprets = false;  // the interpreter runs below it
};

// What the stacks of a run that stands still consist of: a frame that waits in the interpreter, or
// a native one.
struct Activation {
  const Waiting* waiting = nullptr;
  const NativeCode* native = nullptr;
  std::uint64_t address = 0; // native: where it goes on
  bool replaced = false;     // native: it was left by an exit, and only hands on the result
};

// A frame of a run that has ended.
struct WalkedFrame {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;                    // behind the call, in those that wait
  const Value* slots = nullptr; // null: a native frame, whose values are not known
  std::optional<Slot> result;   // where it waits for one
};

// What the handlers of the interpreter use all the time.
struct Registers {
  Waiting* frames = nullptr; // the next free
  Waiting* frames_limit = nullptr;
  char* stack_limit = nullptr;
  std::int64_t poll = 0;  // counted down at calls and back edges; negative: Machine::polled
  bool returned = false;  // a call has returned since the last opportunity
  Value result;           // of a run of the interpreter
  Insn* parked = nullptr; // without tail calls: what is next
  char* parked_base = nullptr;
};

class Machine {
public:
  struct Position {
    Insn* ip;
    char* base;
  };

  // Throws std::bad_alloc if the stacks cannot be reserved, and what the compiler throws.
  Machine(const LinkedProgram& program, Input& input, const Schedule& schedule,
          const NativeSettings& settings, const EngineHooks& hooks);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Where the cell of a function is; indexed by the id of its name, as function values are.
  FunctionCell& cell(FunName name) { return cells_[name.id]; }
  // The table itself: FunctionCell[number of names], for calls of function values.
  FunctionCell* cells() { return cells_.get(); }
  // Counted down at calls and back edges where CompileOptions::fuel; negative: used up.
  std::int64_t* fuel() { return &fuel_; }
  // For schedules that ask for it: calls of native code that return set it.
  bool* returned() { return &registers.returned; }

  const LinkedProgram& program() const { return program_; }
  const NativeSettings& settings() const { return settings_; }
  const Schedule& schedule() const { return schedule_; }
  const EngineHooks& hooks() const { return hooks_; }
  bool limits_fuel() const;
  bool forces_exits() const;

  // Runs main to the end, on a stack on which native code should not go below `low`; null: it has
  // no end.
  EngineRun run(const std::byte* low = nullptr);

  // --- For the handlers of the interpreter. ---
  Registers registers;
  Heap heap;
  ScannedStack values;

  [[noreturn]] void stuck(StuckReason why, Insn* ip, char* base);
  [[noreturn]] void limit(Limit limit, Insn* ip, char* base);
  [[noreturn]] void interrupted(Insn* ip, char* base);
  [[noreturn]] void stop(Value result);
  // Fuel and interruption; then the instruction again (or native code for the loop).
  void polled(Insn* ip, char* base);
  void polled_loop(Insn* ip, Pc head, char* base); // at the end of a loop
  // A frame that an exit made got its result: on at ip, or in native code for that place.
  void went_on(Insn* ip, Pc pc, char* base);
  // A call that goes, or may now go, to native code.
  void call_hot(FunctionCell& f, Insn* ip, char* base);
  // The first call of a function, whose continuation is pushed.
  void enter_first(FunctionCell& f, char* base);
  // The same for each call of a function with contexts, or where the schedule decides.
  void enter_version(FunctionCell& f, char* base);
  bool print(Value v); // false: the output limit
  EvalResult read();
  bool wants_exit(const ResolvedVersion* code, Pc pc);
  // Replaces the frame at base by those of the exit; where to go on.
  Position leave(const resolved::Exit& exit, Insn* ip, char* base);

  // --- For native code (runtime_calls.cpp). ---
  // The version that a call enters.
  const ResolvedVersion* version_for(const LinkedProgram::Fun& f, const Value* arguments);
  struct FromNative {
    std::int64_t depth = 0;      // what the callee gets
    const void* frame = nullptr; // of the runtime function
    bool replaced = false;       // native code will not go on
  };
  // Runs the interpreter until the frame at the position returns.
  Value run_from(Position from, const FromNative& caller);
  // The rest of an activation whose native code was left; what it returns. slots: on the C stack.
  Value run_left(const Tiering::Departure& left, const Value* slots, const FromNative& caller);
  // The native code that run_entered() calls was left: writes down the frames for it.
  void left_entered(const Tiering::Departure& left, const Value* slots);
  // A call whose continuation is a native frame. Empty: it is an error, or at a limit; nothing
  // happened.
  std::optional<Value> call(const FromNative& caller, Value callee,
                            std::span<const Value> arguments);
  [[noreturn]] void out_of_fuel(const ResolvedVersion& code, Pc pc, const Value* slots,
                                const FromNative& caller);

  // On any thread. Null: there are enough.
  Watch* new_watch(std::uint64_t index, Value value);
  // Ends the run where native code has left no stack but the reserve to the runtime function with
  // this frame: further down it would be abandoned in the middle, with the locks that it holds.
  void check_stack(const void* frame) {
    if (frame < stack_low_) [[unlikely]]
      stack_used_up();
  }
  // One frame, as a configuration of the reference.
  Config state_of(const FrameState& frame) const;
  // For EngineHooks::steps (noted_steps.cpp).
  bool notes_steps() const { return static_cast<bool>(hooks_.steps); }
  void tick() { --fuel_; } // what nobody else counts
  void note_entered(const ResolvedVersion& code);
  // The frames of the exit are there, the innermost at base.
  void note_left(const resolved::Exit& exit, const ResolvedVersion& code, Pc pc, const char* base);
  void note_resumed(const ResolvedVersion& code, Pc pc, const char* base, std::int64_t depth);

  Bytecode& bytecode(const ResolvedVersion& code);
  Bytecode& bytecode_of(const Insn* ip) const;
  // Nobody is or comes inside it again.
  void forget(const ResolvedVersion& code);
  Tiering& tiering() { return tiering_; }
  Sampling& sampling() { return sampling_; }
  // Async-signal-safe: not in native code, nor in what that called.
  bool in_baseline() const { return boundary_ == nullptr || boundary_->interprets; }
  // What was seen in a version so far; empty: it has not run here.
  std::span<const SiteFeedback> sites(const ResolvedVersion& code) const;
  // What was seen in a version so far is over: it is looked at anew.
  void look_anew(const ResolvedVersion& code);
  // The one of a position, to be written; of the thread of the program.
  SiteFeedback& site(const ResolvedVersion& code, Pc pc) { return bytecode(code).sites[pc]; }
  Names& names() { return *settings_.names; }
  // Held by whoever makes names, or looks at them while others may.
  std::mutex& names_mutex() { return names_mutex_; }
  EngineStatistics statistics;

private:
  struct Range {
    const Insn* end;
    Bytecode* code;
  };

  [[noreturn]] void stack_used_up();
  void begin_functions();
  TranslationOptions translation() const;
  void run_main();
  void interpret(Position at);
  NativeResult call_native(void* entry, std::int64_t depth, const Value* arguments,
                           std::uint32_t n);
  // Calls native code from the interpreter, whose continuation is pushed; its result is bound.
  Position called_native(void* entry, char* frame, std::uint32_t n);
  Position bind_result(Value v);
  // A frame that has not gone on yet.
  struct Standing {
    Bytecode* code = nullptr;
    Insn* ip = nullptr;
    char* base = nullptr;
    void** middle = nullptr; // Landing::Frame::middle, if an exit made it
  };
  // The rest of the activation, which `chain` exits in a row have led to, in code for that place,
  // and where that leaves by an exit in code for the exit's target, as long as there is some. Where
  // the interpreter goes on.
  Position run_entered(Tiering::Entry entry, Standing at, std::uint64_t chain);
  std::optional<NativeResult> call_entered(const Tiering::Entry& entry, const Standing& at);
  bool has_room(const Tiering::Entry& entry, const Standing& at) const;
  Tiering::Entry behind(Tiering::Departure left, const Standing& at, std::uint64_t& chain);
  template <class F>
  Value run_below(const FromNative& caller, F&& begin);
  Landing& landing(Bytecode& origin, Pc pc, const resolved::Exit& exit);
  bool fits(const Landing& to, const char* base) const;
  Standing land(Landing& to, char* base);
  Standing write_down(const Tiering::Departure& left, const Value* slots, char* base);
  Position to_baseline(Bytecode& to, Pc pc, const Value* slots, char* base,
                       const resolved::Exit* exit);
  void enter(FunctionCell& f, const ResolvedVersion& code, char* base);
  Insn* waiting_at(Bytecode& code, Pc pc, Slot result);
  void note_moved(const ResolvedVersion& from, Pc head, const AddedVersion& into);
  std::uint64_t clock() const;
  void tell(TierStep step, std::span<const FrameState> frames);
  void look_around(Insn* ip, char* base);    // interruption and fuel: may end the run
  std::int64_t refill(Insn* ip, char* base); // how often it was polled since the last time
  // Ends the run where it stands: all activations are abandoned.
  [[noreturn]] void end(const StepResult& last, const Insn* ip, const char* base);
  void conclude(const StepResult& last, std::span<const FrameState> frames, std::uint64_t depth,
                Value result);
  std::vector<WalkedFrame> walk(const Insn* ip, const char* base) const;
  // From the innermost on, but for the instruction that the interpreter is at.
  void for_each_activation(const std::function<void(const Activation&)>& visit) const;
  // Code that was given up and that nobody is inside. ip: where the interpreter is; null: it waits
  // for native code.
  void free_retired(const Insn* ip);

  const LinkedProgram& program_;
  Input& input_;
  const Schedule& schedule_;
  const NativeSettings& settings_;
  const EngineHooks& hooks_;
  std::unique_ptr<FunctionCell[]> cells_;
  std::unordered_map<const ResolvedVersion*, std::unique_ptr<Bytecode>> bytecodes_;
  std::map<const Insn*, Range> ranges_;
  std::deque<Insn> stubs_; // FunctionCell::baseline
  std::array<Insn, 2> from_native_, from_start_;
  SiteFeedback spare_;
  ScannedStack waiting_, watches_;
  std::atomic<std::size_t> next_watch_ = 0;
  Boundary* boundary_ = nullptr;
  char* entered_base_ = nullptr; // the frame of the activation that runs in entered code
  Tiering::Departure departure_; // where entered code has left,
  Standing went_to_;             // and the innermost frame that it left for
  std::int64_t fuel_ = 0, slice_ = 0, jitter_ = 0;
  std::uint64_t exits_in_a_row_ = 0;
  bool forcing_ = false; // an exit was forced that has not made its frames yet
  std::uint64_t calls_ = 0, opportunities_ = 0, input_position_ = 0, output_bytes_ = 0;
  std::int64_t depth_at_start_ = 0;               // continuations that main may push
  std::vector<const ResolvedVersion*> noted_entered_; // by the function's name; null: as written
  std::uint64_t noted_states_ = 0;
  std::string line_;
  std::jmp_buf escape_;
  const void* stack_low_ = nullptr;
  EngineRun ended_;
  std::mutex names_mutex_;
  Sampling sampling_;
  Tiering tiering_;
};

} // namespace sourir::native
