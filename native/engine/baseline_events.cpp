#include "native/engine/baseline_events.h"

#include "native/runtime/event_identity.h"

namespace sourir::native {

namespace {

using profiler::Event;
using profiler::EventCode;

class SiteList {
public:
  SiteList(EventCode& code, const profiler::EventSet& wanted) : code_(code), wanted_(wanted) {}

  void add(std::vector<EventCode::Worth>& worth, Pc at, Event event, std::uint32_t times) {
    if (!wanted_.contains(event)) return;
    worth.push_back(
        {static_cast<std::uint32_t>(code_.sites.size()), static_cast<std::int32_t>(times)});
    code_.sites.push_back({at, event});
  }

private:
  EventCode& code_;
  const profiler::EventSet& wanted_;
};

} // namespace

std::uint64_t* BaselineEvents::counters(const ResolvedVersion& version) {
  if (recording_ == nullptr) return nullptr;
  std::shared_ptr<EventCode>& counted = counted_[&version];
  if (counted) return counted->own.data();
  counted = std::make_shared<EventCode>();
  counted->interpreted = true;
  {
    const std::lock_guard lock(names_.mutex);
    identify(*counted, version, cache_.version_of(version), program_.names());
  }
  SiteList sites(*counted, recording_->options.events);
  const auto count = static_cast<Pc>(version.instrs.size());
  counted->worth.resize(std::size_t{2} * count);
  counted->own.resize(std::size_t{2} * count);
  counted->counters = counted->own.data();
  static const Instruction kStop = Stop{};
  for (Pc pc = 0; pc < count; ++pc) {
    const auto& body = version.source->body;
    const Instruction& instr = pc < body.size() ? body[pc].instr : kStop;
    for (const auto& [event, times] :
         profiler::events_of(instr, is_back_edge(version.instrs[pc], pc)))
      sites.add(counted->worth[std::size_t{2} * pc], pc, event, times);
    if (exit_of(version.instrs[pc]) == nullptr) continue;
    for (const Event event : profiler::events_of_exit(instr))
      sites.add(counted->worth[std::size_t{2} * pc + 1], pc, event, 1);
  }
  recording_->add(counted);
  return counted->own.data();
}

void BaselineEvents::exited(const ResolvedVersion& version, Pc first, Pc exit) {
  std::uint64_t* const counted = counters(version);
  if (counted == nullptr) return;
  for (Pc pc = first; pc < exit; ++pc) ++counted[std::size_t{2} * pc];
  ++counted[std::size_t{2} * exit + 1];
}

} // namespace sourir::native
