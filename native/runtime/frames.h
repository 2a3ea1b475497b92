// The frames of a running program, as the interpreter, native code and the deoptimizer share them.
// Frames of the interpreter lie one behind the other on the value stack; what waits for a callee is
// a return frame beside that. Frames of native code lie on the C stack.
#pragma once

#include "sourir/semantics/value.h"

#include <cstddef>
#include <cstdint>

namespace sourir::native {

struct Insn;

// Where the interpreter goes on: an instruction, and slot 0 of its frame.
struct BaselinePosition {
  Insn* ip = nullptr;
  char* base = nullptr;
};

// A continuation <I L x E> of the interpreter: x is a field of the call, L is the instruction after
// it. The lowest of each run of the interpreter is no continuation: its "call" is followed by what
// ends the run.
struct ReturnFrame {
  Insn* call;
  char* base;
};
static_assert(sizeof(ReturnFrame) == sizeof(Value)); // their stack is reserved as one of values

// Native code called the runtime, or the interpreter native code: what a walk over all frames needs
// to know. Entry frames lie on the C stack, linked from the innermost on.
struct EntryFrame {
  EntryFrame* outer;
  ReturnFrame* frames;      // those from here on are further in
  const void* native_frame; // the frame pointer of the function that native code called; null: none
  bool replaced;            // the innermost native frame took an exit
  bool interprets = false;  // the interpreter runs below it
};

// What the handlers of the interpreter use all the time. Thread: of the program; `entries` is read
// by its signal handlers, too.
struct Registers {
  ReturnFrame* frames = nullptr; // the next free
  ReturnFrame* frames_limit = nullptr;
  char* stack_limit = nullptr;
  std::int64_t poll = 0;  // counted down at calls and back edges; negative: Interpreter::polled
  bool returned = false;  // a call has returned since the last opportunity for an exit
  Value result;           // of a run of the interpreter
  Insn* parked = nullptr; // without tail calls: what is next
  char* parked_base = nullptr;
  EntryFrame* entries = nullptr; // the innermost
  std::int64_t fuel =
      0; // calls and back edges left; native code and `poll` count it down in slices
};
// Native code is given addresses of some; the handlers reach the first ones by short offsets.
static_assert(offsetof(Registers, frames) == 0 && offsetof(Registers, frames_limit) == 8 &&
              offsetof(Registers, stack_limit) == 16 && offsetof(Registers, poll) == 24 &&
              offsetof(Registers, returned) == 32 && offsetof(Registers, result) == 40 &&
              offsetof(Registers, parked) == 56);

} // namespace sourir::native
