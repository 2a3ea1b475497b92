// The deoptimizer: from an exit to the frames of less optimized code, and to where execution
// resumes. The steps of an exit, in order:
//
//   an exit is taken          exit_baseline(), resume_after(), exit_osr_code()   DeoptEvent
//   by its context it enters  dispatch(), exit_dispatch.h                         without frames;
//   a continuation at once,   otherwise
//   its frames are laid out   frame_translation.h                                 FrameTranslation
//   and get their values      materialize.h                                       ResumePoint
//   execution resumes there   in the interpreter, or by OSR entry in native code for the place:
//                             enter(), which repeats these steps if that code takes an exit
//
// Owns: only its statistics; return frames and values go to the stacks of the interpreter.
// Never: compiles, decides what is compiled, or frees code: the DeoptHost supplies code.
// Errors: an exit that fails ends the run, by DeoptHost::stuck() or limit().
// Threads: of the program.
#pragma once

#include "native/deopt/frame_translation.h"
#include "native/runtime/code_cache.h"
#include "native/runtime/heap.h"
#include "sourir/semantics/run.h"

namespace sourir::native {

// --- Deopt events: native code is exited before its activation returns ---

enum class DeoptReason : std::uint8_t {
  Exit,    // the exit of an assume or anchor is taken
  Bailout, // the baseline executes the instruction: an error, a limit, a type without code
  TierUp,  // there is optimized code for the loop with this header
  Sample,  // the loop is entered again at once, for instrumented code or after it
};

// Code that continues an activation at an OSR entry. A copy: the entry may get other code while
// this runs.
struct OsrCode {
  const NativeCode* code = nullptr; // null: none
  const std::vector<Slot>* parameters = nullptr;
  OsrEntry* entry = nullptr;
  const DeoptContext* context = nullptr; // that an exit entered it by; null: it was entered so
};

struct ExitDetails;

struct DeoptEvent {
  DeoptReason reason = DeoptReason::Bailout;
  const ResolvedVersion* version = nullptr; // the exited version
  Pc pc = 0;                                // and the position in it
  const resolved::Exit* exit = nullptr;     // Exit
  bool forced = false;                      // Exit: by the schedule, all guards hold
  const NativeCode* exited = nullptr;       // the OSR code; null: code for calls
  OsrEntry* exited_entry = nullptr;         // where that was entered
  // Exit: the slots of the innermost materialized frame.
  const Value* slots = nullptr;
  // Exit: FrameTranslation::Frame::target of that frame; null: no frame translation has one.
  OsrEntry** target = nullptr;
  const ExitDetails* details = nullptr; // for the log of the tiers; null: it is off
};

// A materialized frame that has not resumed yet; without code and ip: the parameters of a
// continuation are at base instead.
struct ResumePoint {
  BaselineCode* code = nullptr;
  Insn* ip = nullptr;
  char* base = nullptr;
  OsrEntry** target = nullptr; // FrameTranslation::Frame::target, if an exit made it
  Pc pc = 0;                   // where it resumes; the interpreter may have no instruction for that
};

// Callbacks of the deoptimizer to the layer above.
class DeoptHost {
public:
  // The exit into the program at a position of an optimized version; null: the version is of the
  // program, or its state map is incomplete there.
  virtual const resolved::Exit* deopt_map(const ResolvedVersion& version, Pc pc) = 0;
  // Where the exit leads for a dispatch by contexts; null: it is never dispatched.
  virtual const DeoptTarget* dispatch_target(const resolved::Exit& exit) = 0;
  // The continuation for this state, with the values of the variables of exit.target, or none.
  virtual OsrCode dispatch(const DeoptEvent& event, ExitDispatch& exit, DeoptCause cause,
                           const Value* values) = 0;
  // An exit to this target is taken: the continuation is entered with these values.
  virtual void exit_dispatched(const DeoptEvent& event, const DeoptTarget& target,
                               const Value* values, const OsrCode& code) = 0;
  // The materialized frame enters the code for the place where it resumes.
  virtual void osr_entered(const ResolvedVersion& version, Pc pc, const OsrCode& code) = 0;
  // Native code was deoptimized, its frames are materialized. Returns the code to continue in.
  virtual OsrCode deoptimized(const DeoptEvent& event) = 0;
  // The frames of an exit are materialized, the innermost one is about to resume.
  virtual void resumed(const ResolvedVersion& version, Pc pc, const Value* slots) = 0;
  // The same, with the exit and its position in the version; the innermost frame is at base.
  virtual void exited(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
                      const char* base) = 0;
  virtual void bailed_out(const ResolvedVersion& version, Pc pc, const char* base) = 0;
  // An activation in OSR code has returned `value`, which is bound in the innermost return frame.
  virtual BaselinePosition bind_result(Value value) = 0;
  // A safepoint (interruption and fuel): may end the run.
  virtual void poll(BaselinePosition at) = 0;
  [[noreturn]] virtual void stuck(StuckReason why, BaselinePosition at) = 0;
  [[noreturn]] virtual void limit(Limit limit, BaselinePosition at) = 0;

protected:
  ~DeoptHost() = default;
};

struct DeoptStatistics {
  std::uint64_t exits = 0, exits_to_native = 0; // of `exits`: resumed in native code
  // Runs of exits, each from code that the exit before it entered; the length of the longest.
  std::uint64_t cascades = 0, longest_cascade = 0;
  std::uint64_t osr_entries = 0;
  // Of `exits`: continued by their context without frames; and those that found no continuation
  // for theirs.
  std::uint64_t dispatched = 0, dispatch_misses = 0;
  // Continuations that found another type on entry than their context says: always 0.
  std::uint64_t outside_context = 0;
};

class Deoptimizer {
public:
  Deoptimizer(Registers& registers, Heap& heap, ScannedStack& values, BaselineVersions& versions,
              DeoptHost& host)
      : registers_(registers), heap_(heap), values_(values), versions_(versions), host_(host) {}

  // The interpreter takes an exit: the frame at base is replaced by those of the exit.
  BaselinePosition exit_baseline(const resolved::Exit& exit, Insn* ip, char* base);
  // Code for calls was exited, with these slots on the C stack: materializes the frames at base and
  // resumes. Returns where the interpreter continues.
  BaselinePosition resume_after(const DeoptEvent& event, const Value* slots, char* base);
  // The OSR code that enter() runs was exited: materializes the frames, where enter() continues.
  void exit_osr_code(const DeoptEvent& event, const Value* slots);
  // Copies the slots of a native frame to base; returns where a bailout resumes.
  BaselinePosition bail_out(const ResolvedVersion& version, Pc pc, const Value* slots, char* base);

  // Whether the stack has room for the slots of the OSR code, which lie after the frame.
  bool has_room(const OsrCode& code, const ResumePoint& at) const;
  // Runs the rest of the activation in native code, and after an exit of it in the code for the
  // resume point, as long as there is some. Returns where the interpreter continues. code: may be
  // none. chain: exits in a row before this.
  BaselinePosition enter(OsrCode code, ResumePoint at, std::uint64_t chain);

  const DeoptStatistics& statistics() const { return statistics_; }

private:
  OsrCode dispatch(DeoptEvent event, const Value* slots, char* base);
  ExitDispatch& dispatch_of(const DeoptEvent& event);
  void count_in_a_row(std::uint64_t& chain);
  bool is_outside_context(const DeoptEvent& event, const Value* slots) const;
  bool fits(const FrameTranslation& to, const char* base) const;
  ResumePoint materialize_frames(const DeoptEvent& event, const Value* slots, char* base);
  ResumePoint bailout(BaselineCode& origin, const DeoptEvent& event, const Value* slots,
                      char* base);
  ResumePoint push_return_frames(FrameTranslation& to, char* base);
  BaselinePosition copy_slots(BaselineCode& to, Pc pc, const Value* slots, char* base,
                              const resolved::Exit* exit);
  std::optional<NativeResult> call(const OsrCode& code, const ResumePoint& at);
  OsrCode code_after(DeoptEvent event, const ResumePoint& at, std::uint64_t& chain);
  OsrCode entered(const OsrCode& code, const ResumePoint& at);

  Registers& registers_;
  Heap& heap_;
  ScannedStack& values_;
  BaselineVersions& versions_;
  DeoptHost& host_;
  DeoptStatistics statistics_;
  char* osr_base_ = nullptr;     // the frame of the activation that runs in OSR code,
  OsrCode running_;              // and that code
  OsrCode dispatched_;           // the continuation of the last exit of OSR code, if it has one
  DeoptEvent osr_exit_;          // the last exit of OSR code,
  ResumePoint osr_resume_point_; // and the innermost frame of it
  std::uint64_t exits_in_a_row_ = 0;
};

} // namespace sourir::native
