#include "sourir/bisim/lockstep_setting.h"

#include "sourir/bisim/check_limits.h"

namespace sourir {
namespace {

Limits limits_of(const LockstepOptions& options) {
  Limits limits = check_limits(options.fuel);
  limits.depth = options.depth;
  return limits;
}

} // namespace

LockstepSetting::LockstepSetting(const Program& input_program, const Program& output_program,
                                 const StateMap& map, const LockstepOptions& chosen,
                                 Names& all_names)
    : names(all_names), options(chosen), input(input_program, all_names),
      output(output_program, all_names), live(input_program),
      places(map, input, output_program, live), limits(limits_of(chosen)) {}

std::vector<TracedEvent> trace_of(LockstepSetting& setting, const LinkedProgram& program,
                                  const std::vector<Value>& reads) {
  Input input(reads, setting.names);
  Config c = start(program, input, setting.never, setting.limits);
  std::vector<TracedEvent> events;
  do {
    auto event = advance(
        c, [&](const Config& now) { return (now.steps & 4095) != 4095 || !setting.interrupted(); });
    if (!event) event = Event{Event::Kind::Limit, "interrupted"};
    events.push_back({std::move(*event), c.steps});
  } while (!events.back().event.ends());
  return events;
}

} // namespace sourir
