// Frame translations: the layout of the frames of an exit on the stacks of the interpreter. Made
// when the exit is first taken, and kept with the version of the exit.
// Threads: of the program.
#pragma once

#include "native/deopt/exit_dispatch.h"
#include "native/runtime/frames.h"

namespace sourir::native {

struct BaselineCode;

struct FrameTranslation {
  struct Frame {
    BaselineCode* code = nullptr;
    Insn* at = nullptr;         // innermost: where it resumes; others: the call of the return frame
    OsrEntry* target = nullptr; // innermost: the OSR entry of the resume point, once requested
  };
  const resolved::Exit* exit = nullptr;
  std::vector<Frame> frames;            // the outermost first
  std::uint64_t bytes = 0;              // of all of them on the value stack
  std::optional<ExitDispatch> dispatch; // once requested
};

// A version in the form of the interpreter. Its instructions are opaque to the deoptimizer.
struct BaselineCode {
  const ResolvedVersion* code = nullptr;
  std::uint32_t frame_bytes = 0; // slots and temporaries; frames of callees begin after
  std::vector<std::unique_ptr<FrameTranslation>> translations; // by position of the exit
};

// What the deoptimizer needs of the interpreter.
class BaselineVersions {
public:
  // Made on the first request.
  virtual BaselineCode& baseline_code(const ResolvedVersion& version) = 0;
  virtual BaselineCode& baseline_code_at(const Insn* ip) const = 0;
  // The instruction at which a frame resumes at a position.
  virtual Insn* resume_insn(BaselineCode& code, Pc pc) = 0;
  // The call of a return frame: a pseudo call that binds `result` and continues at the position.
  virtual Insn* return_insn(BaselineCode& code, Pc pc, Slot result) = 0;
  virtual Pc pc_of(const Insn* ip) const = 0;

protected:
  ~BaselineVersions() = default;
};

// The translation of the exit at a position of `origin`: its own, or that of its deopt map.
FrameTranslation& frame_translation(BaselineVersions& versions, BaselineCode& origin, Pc pc,
                                    const resolved::Exit& exit);

} // namespace sourir::native
