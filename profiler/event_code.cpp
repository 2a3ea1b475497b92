#include "profiler/event_code.h"

namespace sourir::profiler {

const char* name_of(EventStrategy strategy) {
  constexpr const char* kNames[] = {"none", "direct", "decode", "count"};
  return kNames[static_cast<std::size_t>(strategy)];
}

std::vector<std::int64_t> EventCode::counts() const {
  std::vector<std::int64_t> result(sites.size());
  if (counters == nullptr) return result;
  for (std::size_t i = 0; i < worth.size(); ++i)
    for (const Worth& w : worth[i])
      result[w.site] += static_cast<std::int64_t>(counters[i]) * w.times;
  return result;
}

void EventRecording::add(std::shared_ptr<EventCode> code) {
  const std::lock_guard lock(mutex_);
  codes_.push_back(std::move(code));
  codes_.back()->number = static_cast<std::uint32_t>(codes_.size());
}

std::vector<std::shared_ptr<const EventCode>> EventRecording::codes() const {
  const std::lock_guard lock(mutex_);
  return {codes_.begin(), codes_.end()};
}

} // namespace sourir::profiler
