// The baseline tier: executes versions as register bytecode (bytecode.h), records type feedback,
// and does the input and output of the program.
//
// Owns: the registers, the value stack and the return frames, the bytecode of versions, the heap.
// Never: knows LLVM, or decides about tiers: the InterpreterHost does.
// Thread of the program only; print() and read() take the lock of the names.
#pragma once

#include "native/interpreter/bytecode.h"
#include "native/runtime/feedback_store.h"
#include "native/runtime/heap.h"
#include "native/runtime/native_code.h"
#include "native/runtime/shared_names.h"
#include "sourir/semantics/input.h"
#include "sourir/semantics/run.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace sourir::native {

// The callbacks of the interpreter to the layers above it.
class InterpreterHost {
public:
  // Ends the run at this instruction; all activations are abandoned.
  [[noreturn]] virtual void end(const StepResult& last, const Insn* ip, const char* base) = 0;
  [[noreturn]] virtual void stop(Value result) = 0;
  // Calls and back edges were counted `iterations` more times, and the loop at `head` is at a poll.
  // Returns where to resume: at `ip`, or after native code for the loop has run.
  virtual BaselinePosition at_loop_header(Insn* ip, Pc head, char* base,
                                          std::int64_t iterations) = 0;
  // A frame that an exit materialized received its result at `pc`; where to resume, as above.
  virtual BaselinePosition at_continuation(Insn* ip, Pc pc, char* base) = 0;
  // A call at `ip` of a function that was called FunctionCell::hot_at times, or has native code.
  // Returns the native code that it enters; null: there is none.
  virtual void* at_call(FunctionCell& f, const Value* arguments, const Insn* ip) = 0;
  // Runs native code for a call whose return frame is pushed, and binds its result.
  virtual BaselinePosition call_native(void* entry, char* frame, std::uint32_t arguments) = 0;
  // The version that a call enters, of a function with contexts or where the schedule decides; and
  // its native code, null: none.
  virtual const ResolvedVersion& version_for(const FunctionCell& f, const Value* arguments) = 0;
  virtual void* native_entry(const ResolvedVersion& version) = 0;
  // A call enters the version in the interpreter; only with InterpreterOptions::reports_entries.
  virtual void entered(const ResolvedVersion& version) = 0;
  // Whether the schedule wants this exit (whose guards hold) to be taken.
  virtual bool wants_exit(const ResolvedVersion* version, Pc pc) = 0;
  // Takes an exit; returns where to resume.
  virtual BaselinePosition take_exit(const resolved::Exit& exit, Insn* ip, char* base) = 0;

protected:
  ~InterpreterHost() = default;
};

struct InterpreterOptions {
  TranslationOptions translation;
  bool dispatches = false;                  // the schedule decides which version a call enters
  bool reports_entries = false;             // InterpreterHost::entered
  std::int64_t iterations_until_native = 0; // loops are polled at least twice as often
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::string_view)> print; // a line, without its end; may be empty
  // TranslationOptions::events of a version; may be empty.
  std::function<std::uint64_t*(const ResolvedVersion&)> events;
  // Bytecode was made, from `begin` to `end`, and will be freed; may be empty.
  std::function<void(const ResolvedVersion&, const Insn* begin, const Insn* end)> made_bytecode;
  std::function<void(const Insn* begin)> drops_bytecode;
};

struct InterpreterStatistics {
  std::uint64_t prints = 0, reads = 0;
};

class Interpreter final : public BaselineVersions {
public:
  // Throws std::bad_alloc if the stacks cannot be reserved. All arguments must outlive it.
  Interpreter(const LinkedProgram& program, Input& input, const Limits& limits, SharedNames& names,
              FeedbackStore& feedback, InterpreterOptions options, InterpreterHost& host);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Registers registers;
  Heap heap;
  ScannedStack values;
  InterpreterHost& host;

  // By the id of the function's name, as function values are: as many as there are names.
  FunctionCell* cells() { return cells_.get(); }
  // Runs main: `version` in the interpreter if `entry` is null, otherwise its native code. Does not
  // return: the host's stop() or end() ends the run.
  void run_main(const ResolvedVersion& version, void* entry);
  // Runs from the position that `begin` returns, in a callee of a native frame, until the frame
  // there returns; its result. `depth`: return frames that may be pushed.
  template <class F>
  Value run_nested(const void* native_frame, bool replaced, std::int64_t depth, F&& begin);
  // Pops a return frame and binds the value, as `return` does.
  BaselinePosition bind_result(Value v);

  // --- For the handlers ---
  [[noreturn]] void stuck(StuckReason why, Insn* ip, char* base);
  [[noreturn]] void limit(Limit limit, Insn* ip, char* base);
  // Polls fuel and interruption, then executes the instruction again.
  void polled(Insn* ip, char* base);
  // The same at a back edge, where native code for the loop may be entered.
  void polled_loop(Insn* ip, Pc head, char* base);
  // A call that enters, or may now enter, native code.
  void call_hot(FunctionCell& f, Insn* ip, char* base);
  // The first call of a function; each call of one with contexts. The return frame is pushed.
  void enter_first(FunctionCell& f, char* base);
  void enter_version(FunctionCell& f, char* base);
  bool print(Value v); // false: the output limit is reached
  EvalResult read();

  // Ends the run if it is interrupted or the fuel is used up.
  void poll(Insn* ip, char* base);
  // Calls and back edges so far, where they are counted (Limits::fuel).
  std::uint64_t events() const;
  std::uint64_t input_position() const { return input_position_; }
  std::uint64_t output_bytes() const { return output_bytes_; }
  const InterpreterStatistics& statistics() const { return statistics_; }

  Bytecode& bytecode(const ResolvedVersion& version);
  Bytecode& bytecode_of(const Insn* ip) const;
  // Undoes quickening, so that the instructions record feedback again.
  void reset_instructions(const ResolvedVersion& version);
  // Precondition: no activation uses the version, now or later.
  void drop(const ResolvedVersion& version);
  // The lowest return frame of each run of the interpreter: no continuation of the program.
  bool is_lowest(const Insn* call) const {
    return call == native_boundary_.data() || call == main_boundary_.data();
  }
  const ReturnFrame* first_frame() const {
    return reinterpret_cast<const ReturnFrame*>(return_frames_.begin());
  }
  std::int64_t depth_at_start() const {
    return depth_at_start_;
  } // return frames that main may push

private:
  struct Range {
    const Insn* end;
    Bytecode* code;
  };

  BaselineCode& baseline_code(const ResolvedVersion& version) override;
  BaselineCode& baseline_code_at(const Insn* ip) const override;
  Insn* resume_insn(BaselineCode& code, Pc pc) override;
  Insn* return_insn(BaselineCode& code, Pc pc, Slot result) override;
  Pc pc_of(const Insn* ip) const override;

  std::unique_ptr<Bytecode> translated(const ResolvedVersion& version);
  // Adds `times` to the executions of an instruction that has been counted already: -1 where the
  // run ends instead.
  void count(const Insn* ip, std::int64_t times);
  void begin_functions();
  void make_table(FunctionCell& f) const;
  void run(BaselinePosition at);
  void enter(const ResolvedVersion& version, char* base);
  std::int64_t refill(Insn* ip, char* base); // calls and back edges since the last time

  const LinkedProgram& program_;
  Input& input_;
  const Limits& limits_;
  SharedNames& names_;
  FeedbackStore& feedback_;
  const InterpreterOptions options_;
  std::unique_ptr<FunctionCell[]> cells_;
  std::unordered_map<const ResolvedVersion*, std::unique_ptr<Bytecode>> bytecodes_;
  std::map<const Insn*, Range> ranges_;
  std::deque<Insn> internal_insns_; // FunctionCell::baseline
  std::array<Insn, 2> native_boundary_, main_boundary_;
  SiteFeedback spare_;
  ScannedStack return_frames_;
  std::int64_t slice_ = 0, jitter_ = 0;
  std::int64_t depth_at_start_ = 0;
  std::uint64_t input_position_ = 0, output_bytes_ = 0;
  std::string line_;
  InterpreterStatistics statistics_;
};

template <class F>
Value Interpreter::run_nested(const void* native_frame, bool replaced, std::int64_t depth,
                              F&& begin) {
  Registers& r = registers;
  EntryFrame entry{r.entries, r.frames, native_frame, replaced, true};
  r.push(entry);
  ReturnFrame* const limit_before = r.frames_limit;
  r.frames_limit = r.frames + 1 + depth;
  Value* const top = values.top;
  Value result; // on the C stack, where the collector sees it
  *r.frames++ = {native_boundary_.data(), reinterpret_cast<char*>(&result)};
  run(begin());
  values.top = top;
  r.frames_limit = limit_before;
  r.pop(entry);
  return result;
}

} // namespace sourir::native
