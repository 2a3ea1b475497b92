// Instrumentation after all of LLVM's passes: the markers of a function and its own instructions
// become code that counts (profiler/event_code.h), by one of the strategies of Basso and others
// (TOPLAS 2023, 4.2 and 4.3). Nothing of it is there while LLVM optimizes.
//
// A path ends before each call that may not return (the callee ends the run), so that it is counted
// then, too. EventStrategy::Count treats a loop without inner loops and without such calls as one
// node of its paths. Its edges outside a spanning tree are counted in registers (Knuth; Ball and
// Larus, "Optimally profiling and tracing programs", TOPLAS 1994), which are added to memory where
// the loop is left; where its induction variable tells how often the back edge was taken, that one
// needs no register.
#pragma once

#include "native/llvm_lowering/event_markers.h"

#include <memory>
#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace sourir::native {

// What a function counts: the counters are the global variable of this name in its module.
struct CountedFunction {
  std::shared_ptr<profiler::EventCode> code; // without identity, and without the address
  std::string counters;
  std::string decoder; // the function that adds the events of a path; empty: none
};

// Null code: nothing is counted (EventStrategy::None).
CountedFunction count_events(llvm::Function& function, const std::vector<EventMarker>& markers,
                             const ResolvedVersion& version, const profiler::EventOptions& options);

} // namespace sourir::native
