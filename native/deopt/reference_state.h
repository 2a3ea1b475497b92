// The state in which a run of the native tier ended, as a configuration of the reference: error
// messages, reports and results come from the same functions for all engines.
#pragma once

#include "native/runtime/heap.h"
#include "sourir/semantics/run.h"

#include <span>

namespace sourir::native {

// A frame, with its values by slot; unbound where the variable is not in scope.
struct FrameState {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0; // the instruction; in a caller: the one after the call
  const Value* slots = nullptr;
  Slot result = 0; // in a caller: where it waits for the result
};

struct EndState {
  std::span<const FrameState> frames; // innermost first; the first kReportedFrames are enough
  std::uint64_t depth = 0;            // number of frames; 0: as many as are given
  Value result;                       // of a run that has stopped
  std::uint64_t input_position = 0, output_bytes = 0, heap_bytes = 0;
};

// The configuration: the frames that are given, and the arrays that can be reached from them, with
// as much of their elements as anybody shows (kShownElements from each variable). Not for stepping.
Config reference_state(const LinkedProgram& program, Input& input, const Schedule& schedule,
                       const Limits& limits, const EndState& end);
inline constexpr std::uint64_t kShownElements = std::uint64_t{1} << 16;

// What came of it: as describe() says of a configuration that ended like `last`.
Outcome describe(const Config& state, const StepResult& last, std::uint64_t depth);

} // namespace sourir::native
