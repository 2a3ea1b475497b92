// Deoptimization, in the order in which it happens:
//
//   an exit is taken          exit_baseline(), resume_after(), exit_osr_code()   DeoptEvent
//   its frames are laid out   frame_translation.h                                 FrameTranslation
//   and get their values      materialize.h                                       ResumePoint
//   execution resumes there   in the interpreter, or by OSR entry in native code for the place,
//                             enter(), which may take the next exit: the same once more
//
// Owns: nothing but its counts; it writes return frames and values where the interpreter would.
// Never: compiles, decides what is compiled, or frees code; the DeoptHost supplies code.
// Threads: of the program.
#pragma once

#include "native/deopt/frame_translation.h"
#include "native/runtime/code_cache.h"
#include "native/runtime/heap.h"
#include "sourir/semantics/run.h"

namespace sourir::native {

// Native code was exited before its activation returned: why, where, and what may be entered next.

enum class DeoptReason : std::uint8_t {
  Exit,    // the exit of an assume or anchor is taken
  Bailout, // the baseline does the same instruction: an error, a limit, a type without code
  TierUp,  // there is optimized code for the loop whose header this is
};

// Code to enter in place of the activation that stands at an OSR entry. A copy: the entry may get
// other code while this runs.
struct OsrCode {
  const NativeCode* code = nullptr; // null: none
  const std::vector<Slot>* parameters = nullptr;
  OsrEntry* entry = nullptr;
};

struct DeoptEvent {
  DeoptReason reason = DeoptReason::Bailout;
  const ResolvedVersion* version = nullptr; // that was exited,
  Pc pc = 0;                                // and where
  const resolved::Exit* exit = nullptr;     // Exit
  const NativeCode* exited = nullptr;       // entered by OSR; null: by a call
  OsrEntry* exited_entry = nullptr;         // where that was entered
  // Exit: the slots of the innermost frame that it made.
  const Value* slots = nullptr;
  // Exit: the profile of its target, kept with the translation of its frames; null: there is
  // none.
  OsrEntry** target = nullptr;
};

// A frame that has not gone on yet.
struct ResumePoint {
  BaselineCode* code = nullptr;
  Insn* ip = nullptr;
  char* base = nullptr;
  OsrEntry** target = nullptr; // FrameTranslation::Frame::target, if an exit made it
};

// What is above the deoptimizer.
class DeoptHost {
public:
  // The exit into the program at a position of an optimized version; null: the version is of the
  // program, or its state map is incomplete there.
  virtual const resolved::Exit* deopt_map(const ResolvedVersion& version, Pc pc) = 0;
  // Native code was deoptimized, its frames are materialized. The code to continue in, or none.
  virtual OsrCode deoptimized(const DeoptEvent& event) = 0;
  // The innermost frame of an exit stands, and is about to resume.
  virtual void resumed(const ResolvedVersion& version, Pc pc, const Value* slots) = 0;
  // The frames of the exit at a position of the version stand, the innermost at base.
  virtual void exited(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
                      const char* base) = 0;
  virtual void bailed_out(const ResolvedVersion& version, Pc pc, const char* base) = 0;
  // An activation in OSR code has returned this: binds it in the innermost return frame.
  virtual BaselinePosition bind_result(Value value) = 0;
  // Interruption and fuel: may end the run.
  virtual void poll(BaselinePosition at) = 0;
  [[noreturn]] virtual void stuck(StuckReason why, BaselinePosition at) = 0;
  [[noreturn]] virtual void limit(Limit limit, BaselinePosition at) = 0;

protected:
  ~DeoptHost() = default;
};

struct DeoptStatistics {
  std::uint64_t exits = 0, exits_to_native = 0; // of `exits`: the innermost frame was native code
  // How often exits came in a row, each from code that the one before had entered; the most.
  std::uint64_t cascades = 0, longest_cascade = 0;
  std::uint64_t osr_entries = 0;
};

class Deoptimizer {
public:
  Deoptimizer(Registers& registers, Heap& heap, ScannedStack& values, BaselineVersions& versions,
              DeoptHost& host)
      : registers_(registers), heap_(heap), values_(values), versions_(versions), host_(host) {}

  // The interpreter takes an exit: the frame at base is replaced by those of the exit.
  BaselinePosition exit_baseline(const resolved::Exit& exit, Insn* ip, char* base);
  // Code for calls was exited, with these slots on the C stack: the frames go to base, and resume.
  BaselinePosition resume_after(const DeoptEvent& event, const Value* slots, char* base);
  // The code that enter() runs was exited: makes its frames; enter() continues with them.
  void exit_osr_code(const DeoptEvent& event, const Value* slots);
  // Copies the slots of a native frame to base: the position that a bailout resumes at.
  BaselinePosition bail_out(const ResolvedVersion& version, Pc pc, const Value* slots, char* base);

  // Whether OSR code can be entered there: its slots lie after the frame.
  bool has_room(const OsrCode& code, const ResumePoint& at) const;
  // Runs the rest of the activation, which `chain` exits in a row have led to, in native code, and
  // where that is exited, in code for that place, as long as there is some. Where the interpreter
  // continues. code: may be none.
  BaselinePosition enter(OsrCode code, ResumePoint at, std::uint64_t chain);

  const DeoptStatistics& statistics() const { return statistics_; }

private:
  bool fits(const FrameTranslation& to, const char* base) const;
  ResumePoint materialize_frames(const DeoptEvent& event, const Value* slots, char* base);
  ResumePoint bailout(BaselineCode& origin, const DeoptEvent& event, const Value* slots,
                      char* base);
  ResumePoint push_return_frames(FrameTranslation& to, char* base);
  BaselinePosition copy_slots(BaselineCode& to, Pc pc, const Value* slots, char* base,
                              const resolved::Exit* exit);
  std::optional<NativeResult> call(const OsrCode& code, const ResumePoint& at);
  OsrCode code_after(DeoptEvent event, const ResumePoint& at, std::uint64_t& chain);

  Registers& registers_;
  Heap& heap_;
  ScannedStack& values_;
  BaselineVersions& versions_;
  DeoptHost& host_;
  DeoptStatistics statistics_;
  char* osr_base_ = nullptr;     // the frame of the activation that runs in OSR code
  DeoptEvent osr_exit_;          // how OSR code was exited,
  ResumePoint osr_resume_point_; // and the innermost frame that resumes
  std::uint64_t exits_in_a_row_ = 0;
};

} // namespace sourir::native
