// The frames of a running program, as the interpreter, native code and the deoptimizer share them.
// Frames of the interpreter lie in sequence on the value stack, their return frames on a stack of
// their own; frames of native code lie on the C stack, with entry frames between the two.
#pragma once

#include "sourir/semantics/value.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sourir::native {

struct Insn;

// Where the interpreter resumes: an instruction, and slot 0 of its frame.
struct BaselinePosition {
  Insn* ip = nullptr;
  char* base = nullptr;
};

// A continuation <I L x E> of the interpreter: x is a field of the call, L is the instruction after
// it. The lowest of each run of the interpreter is no continuation: its "call" is followed by the
// instruction that ends the run.
struct ReturnFrame {
  Insn* call;
  char* base;
};
static_assert(sizeof(ReturnFrame) == sizeof(Value)); // their stack is reserved as one of values

// The transition at which native code called the runtime, or the interpreter native code, for walks
// over all frames. Entry frames lie on the C stack, linked from the innermost outward.
struct EntryFrame {
  EntryFrame* outer;
  ReturnFrame* frames;      // those from here on are inner ones
  const void* native_frame; // the frame pointer of the function that native code called; null: none
  bool replaced;            // the innermost native frame took an exit
  bool interprets = false;  // the interpreter runs below it
};

// The state that handlers of the interpreter use all the time. Thread of the program, whose signal
// handlers read `entries`.
struct Registers {
  ReturnFrame* frames = nullptr; // the next free
  ReturnFrame* frames_limit = nullptr;
  char* stack_limit = nullptr;
  std::int64_t poll = 0;     // counted down at calls and back edges; negative: Interpreter::polled
  bool returned = false;     // a call has returned since the schedule was asked
  Value result;              // of a run of the interpreter
  Insn* next_insn = nullptr; // without tail calls: the next instruction
  char* parked_base = nullptr;
  EntryFrame* entries = nullptr; // the innermost
  std::int64_t fuel =
      0; // calls and back edges left; native code and `poll` count it down in slices
  // Opportunities for exits until the schedule is asked at one, at least 1; native code counts,
  // too.
  std::int64_t until_asked = 1;

  // Signal handlers find an entry frame only while it is whole.
  void push(EntryFrame& frame) {
    std::atomic_signal_fence(std::memory_order_release);
    entries = &frame;
  }
  void pop(const EntryFrame& frame) {
    entries = frame.outer;
    std::atomic_signal_fence(std::memory_order_release);
  }
};
// Native code contains addresses of some; handlers reach the first ones by short offsets.
static_assert(offsetof(Registers, frames) == 0 && offsetof(Registers, frames_limit) == 8 &&
              offsetof(Registers, stack_limit) == 16 && offsetof(Registers, poll) == 24 &&
              offsetof(Registers, returned) == 32 && offsetof(Registers, result) == 40 &&
              offsetof(Registers, next_insn) == 56);

} // namespace sourir::native
