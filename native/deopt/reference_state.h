// A state of a native run as a configuration of the reference: outcomes, reports and results of
// both come from the same code. Threads: of the program.
#pragma once

#include "native/runtime/heap.h"
#include "sourir/semantics/run.h"

#include <span>

namespace sourir::native {

// A frame with its values by slot: unbound where the variable is not in scope.
struct FrameState {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0; // the instruction; of a caller: the one after the call
  const Value* slots = nullptr;
  Slot result = 0; // of a caller: the slot of the result
};

struct EndState {
  std::span<const FrameState> frames; // innermost first; those after kReportedFrames are ignored
  std::uint64_t depth = 0;            // number of frames; 0: as many as are given
  Value result;                       // of a run that has stopped
  std::uint64_t input_position = 0, output_bytes = 0, heap_bytes = 0;
};

// The configuration: the given frames and the arrays that are reachable from them, each variable
// with the first kShownElements elements. For reports and comparison, not for stepping.
Config reference_state(const LinkedProgram& program, Input& input, const Schedule& schedule,
                       const Limits& limits, const EndState& end);
inline constexpr std::uint64_t kShownElements = std::uint64_t{1} << 16;

// sourir::describe() of `state` after the step `last`, with `depth` frames in all.
Outcome describe(const Config& state, const StepResult& last, std::uint64_t depth);

} // namespace sourir::native
