#include "sourir/cli/events/reference_events.h"

#include "native/runtime/position_counters.h"

#include <fmt/format.h>

namespace sourir {

std::uint64_t* ReferenceEvents::counters(const ResolvedVersion& code) {
  if (&code == code_) return counters_;
  std::shared_ptr<profiler::EventCode>& counted = counted_[&code];
  if (!counted) {
    counted =
        native::counted_by_position(code, nullptr, program_.names(), recording_.options.events);
    recording_.add(counted);
  }
  code_ = &code;
  counters_ = counted->own.data();
  return counters_;
}

void ReferenceEvents::step(const StepResult& step, const ResolvedVersion& code, Pc pc) {
  ++counters(
      code)[takes_exit(step) ? native::counter_of_exit(pc) : native::counter_of_instruction(pc)];
}

std::string keep_events_of_reference(const std::string& names, profiler::EventSet& events) {
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    std::string_view wrong;
    const std::string name = names.substr(at, comma - at);
    const auto of_name = profiler::EventSet::parse(name, wrong);
    if (of_name && !of_name->contains(profiler::EventPhase::Version))
      return fmt::format(
          "--events: '{}' happens in native code, and --engine=reference makes none; "
          "it counts events of the phase version (--events=version)",
          name);
    at = comma + 1;
  }
  profiler::EventSet kept;
  for (const profiler::EventType& type : profiler::event_types())
    if (type.phase == profiler::EventPhase::Version && events.contains(type.event))
      kept.insert(type.event);
  events = kept;
  return {};
}

} // namespace sourir
