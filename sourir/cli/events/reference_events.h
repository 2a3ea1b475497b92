// Events of a run of the reference: the ground truth of what engines count. Steps of the semantics
// have events of EventPhase::Version, and no others. Threads: of the run.
#pragma once

#include "profiler/event_code.h"
#include "sourir/semantics/link.h"
#include "sourir/semantics/step.h"

#include <memory>
#include <unordered_map>

namespace sourir {

class ReferenceEvents {
public:
  // The arguments must live on.
  ReferenceEvents(profiler::EventRecording& recording, const LinkedProgram& program)
      : recording_(recording), program_(program) {}

  // After a step, which was at `pc` of `code` (RunHooks::trace).
  void step(const StepResult& step, const ResolvedVersion& code, Pc pc);

private:
  std::uint64_t* counters(const ResolvedVersion& code);

  profiler::EventRecording& recording_;
  const LinkedProgram& program_;
  std::unordered_map<const ResolvedVersion*, std::shared_ptr<profiler::EventCode>> counted_;
  // Of the last step.
  const ResolvedVersion* code_ = nullptr;
  std::uint64_t* counters_ = nullptr;
};

// The recording of a run of the reference asks for none but those: the others of `events` are
// taken out. Returns what is wrong where a name stands for no event of the semantics, or nothing.
std::string keep_events_of_reference(const std::string& names, profiler::EventSet& events);

} // namespace sourir
