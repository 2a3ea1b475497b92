#include "native/engine/baseline_events.h"

#include "native/runtime/position_counters.h"

namespace sourir::native {

std::uint64_t* BaselineEvents::counters(const ResolvedVersion& version) {
  if (recording_ == nullptr) return nullptr;
  std::shared_ptr<profiler::EventCode>& counted = counted_[&version];
  if (counted) return counted->own.data();
  {
    const std::lock_guard lock(names_.mutex);
    counted = counted_by_position(version, cache_.version_of(version), program_.names(),
                                  recording_->options.events);
  }
  recording_->add(counted);
  return counted->own.data();
}

void BaselineEvents::executed(const ResolvedVersion& version, Pc first, Pc end) {
  std::uint64_t* const counted = counters(version);
  if (counted == nullptr) return;
  for (Pc pc = first; pc < end; ++pc) ++counted[counter_of_instruction(pc)];
}

void BaselineEvents::executed_natively(const ResolvedVersion& version, Pc pc) {
  std::uint64_t* const counted = counters(version);
  if (counted != nullptr) --counted[counter_of_instruction(pc)];
}

void BaselineEvents::exited(const ResolvedVersion& version, Pc pc) {
  std::uint64_t* const counted = counters(version);
  if (counted != nullptr) ++counted[counter_of_exit(pc)];
}

} // namespace sourir::native
