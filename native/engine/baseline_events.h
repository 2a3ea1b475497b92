// Counts of instructions that are not executed by native code: by the interpreter, and by the
// runtime where it finds the guard that failed; and of all exits that are taken, once their frames
// are there: before, they may still fail. Threads: of the program.
#pragma once

#include "native/runtime/code_cache.h"
#include "native/runtime/shared_names.h"
#include "profiler/event_code.h"

#include <unordered_map>

namespace sourir::native {

class BaselineEvents {
public:
  // `recording`: null: nothing is counted, and the other functions have no effect.
  BaselineEvents(profiler::EventRecording* recording, const LinkedProgram& program,
                 const CodeCache& cache, SharedNames& names)
      : recording_(recording), program_(program), cache_(cache), names_(names) {}

  // Two words for each position: how often its instruction was executed, and its exit was taken.
  // Null: nothing is counted.
  std::uint64_t* counters(const ResolvedVersion& version);
  // The instructions from `first` on, before `end`.
  void executed(const ResolvedVersion& version, Pc first, Pc end);
  // The interpreter has counted the instruction, but native code executes it instead.
  void executed_natively(const ResolvedVersion& version, Pc pc);
  // The exit of the assume or anchor at `pc`.
  void exited(const ResolvedVersion& version, Pc pc);
  // The version is going to be freed; its counts stay in the recording.
  void drop(const ResolvedVersion& version) { counted_.erase(&version); }

private:
  profiler::EventRecording* const recording_;
  const LinkedProgram& program_;
  const CodeCache& cache_;
  SharedNames& names_;
  std::unordered_map<const ResolvedVersion*, std::shared_ptr<profiler::EventCode>> counted_;
};

} // namespace sourir::native
