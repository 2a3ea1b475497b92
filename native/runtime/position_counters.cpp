#include "native/runtime/position_counters.h"

#include "native/runtime/event_identity.h"
#include "sourir/semantics/resolved.h"

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

std::shared_ptr<EventCode> counted_by_position(const ResolvedVersion& version,
                                               const OptimizedVersion* optimized,
                                               const Names& names,
                                               const profiler::EventSet& wanted) {
  const auto counted = std::make_shared<EventCode>();
  counted->interpreted = true;
  identify(*counted, version, optimized, names);
  SiteList sites(*counted, wanted);
  const auto count = static_cast<Pc>(version.instrs.size());
  counted->worth.resize(std::size_t{2} * count);
  counted->own.resize(std::size_t{2} * count);
  counted->counters = counted->own.data();
  static const Instruction kStop = Stop{}; // versions of main have one more
  for (Pc pc = 0; pc < count; ++pc) {
    const auto& body = version.source->body;
    const Instruction& instr = pc < body.size() ? body[pc].instr : kStop;
    for (const auto& [event, times] :
         profiler::events_of(instr, is_back_edge(version.instrs[pc], pc)))
      sites.add(counted->worth[counter_of_instruction(pc)], pc, event, times);
    if (exit_of(version.instrs[pc]) == nullptr) continue;
    for (const Event event : profiler::events_of_exit(instr))
      sites.add(counted->worth[counter_of_exit(pc)], pc, event, 1);
  }
  return counted;
}

} // namespace sourir::native
