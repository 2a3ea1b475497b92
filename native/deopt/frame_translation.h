// The frames of an exit in the interpreter's form: translated at the first deoptimization there,
// and kept with the version that has the exit.
#pragma once

#include "native/runtime/code_cache.h"
#include "native/runtime/frames.h"

namespace sourir::native {

struct BaselineCode;

struct FrameTranslation {
  struct Frame {
    BaselineCode* code = nullptr;
    Insn* at = nullptr;         // where the innermost frame resumes; what the others wait for
    Pc pc = 0;                  // of that instruction
    OsrEntry* target = nullptr; // the innermost: native code for the place, once it was requested
  };
  const resolved::Exit* exit = nullptr;
  std::vector<Frame> frames; // the outermost first
  std::uint64_t bytes = 0;   // of all of them on the value stack
};

// A version as the interpreter runs it; its instructions are no business of the deoptimizer.
struct BaselineCode {
  const ResolvedVersion* code = nullptr;
  std::uint32_t frame_bytes = 0; // slots and temporaries; frames of callees begin after
  std::vector<std::unique_ptr<FrameTranslation>> translations; // by position of the exit
};

// The interpreter, as the deoptimizer sees it.
class BaselineVersions {
public:
  // Computed at the first use.
  virtual BaselineCode& baseline_code(const ResolvedVersion& version) = 0;
  virtual BaselineCode& baseline_code_at(const Insn* ip) const = 0;
  // The instruction at which a frame resumes at a position.
  virtual Insn* resume_insn(BaselineCode& code, Pc pc) = 0;
  // What a return frame waits for: something that looks like a call that binds `result`, and goes
  // on at the position.
  virtual Insn* return_insn(BaselineCode& code, Pc pc, Slot result) = 0;
  virtual Pc pc_of(const Insn* ip) const = 0;

protected:
  ~BaselineVersions() = default;
};

// Of the exit at a position of `origin`; or of the state map there, which does not change either.
FrameTranslation& frame_translation(BaselineVersions& versions, BaselineCode& origin, Pc pc,
                                    const resolved::Exit& exit);

} // namespace sourir::native
