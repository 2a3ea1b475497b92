#include "sourir/bisim/reference_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

struct Before {
  const ResolvedVersion* code;
  Pc pc;
  bool returned;
  std::uint64_t opportunities;
  std::size_t frames;
};

// An exit that is taken where its guards hold, or an anchor's.
bool is_forced(const StepResult& r) { return r.rule != nullptr && r.rule->forced(); }

void count(ReferenceRun& run, const Before& before, const StepResult& r, const Config& after) {
  if (r.rule == nullptr) return;
  ++run.rules[index_of(*r.rule)];
  if (after.opportunities == before.opportunities) return;
  run.injected +=
      after.schedule->forces_exit(after.opportunities, before.returned, before.code, before.pc);
  if (!is_forced(r)) return;
  ++run.forced;
  ++run.by_depth[after.frames.size() - before.frames + 1];
}

} // namespace

ReferenceRun reference_run(const LinkedProgram& program, const std::vector<Value>& reads,
                           const Schedule& schedule, const Limits& limits, Names& names) {
  Input input(reads, names);
  Config c = start(program, input, schedule, limits);
  ReferenceRun run;
  std::string printed;
  do {
    const Before before{c.code, c.pc, c.returned, c.opportunities, c.frames.size()};
    const StepResult r = step(c, printed);
    count(run, before, r, c);
    if (auto event = seen(r, std::move(printed), c)) run.events.push_back(std::move(*event));
    printed.clear();
  } while (run.events.empty() || !run.events.back().ends());
  run.steps = c.steps;
  run.opportunities = c.opportunities;
  return run;
}

namespace {

std::string difference(const EngineAnswer& answer, const ReferenceRun& expected) {
  std::vector<Event> events = expected.events;
  const auto reads = static_cast<std::uint64_t>(
      std::erase_if(events, [](const Event& event) { return event.kind == Event::Kind::Read; }));
  const auto said = [](const std::vector<Event>& all, std::size_t i) {
    return i < all.size() ? describe(all[i]) : std::string("has ended");
  };
  for (std::size_t i = 0; i < std::max(events.size(), answer.events.size()); ++i)
    if (i >= events.size() || i >= answer.events.size() || events[i] != answer.events[i])
      return fmt::format("event {}: it {}, the reference {}", i + 1, said(answer.events, i),
                         said(events, i));
  if (reads != answer.reads)
    return fmt::format("it reads {} values, the reference {}", answer.reads, reads);
  if (answer.forced && expected.forced != *answer.forced)
    return fmt::format("it is forced to exit {} times, the reference {}", *answer.forced,
                       expected.forced);
  return answer.problem;
}

} // namespace

std::string engine_difference(const Result<EngineAnswer>& answer, const ReferenceRun& expected) {
  return answer ? difference(*answer, expected)
                : fmt::format("it throws: {}", answer.error().message);
}

} // namespace sourir
