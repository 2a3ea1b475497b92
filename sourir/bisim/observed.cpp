#include "sourir/bisim/observed.h"

#include "sourir/syntax/printer.h"

namespace sourir {

std::string describe(const Event& event) {
  switch (event.kind) {
  case Event::Kind::Print: return "prints " + event.text;
  case Event::Kind::Read: return "reads " + event.text;
  case Event::Kind::Stop: return "stops with " + event.text;
  case Event::Kind::Stuck: return "is stuck: " + event.text;
  case Event::Kind::Limit: return "reaches a limit: " + event.text;
  }
  return {};
}

std::optional<Event> seen(const StepResult& step, std::string printed, const Config& after) {
  const auto shown = [&](Value v) { return show(v, after.heap, after.program->names(), 10'000); };
  switch (step.status) {
  case StepStatus::Stopped: return Event{Event::Kind::Stop, shown(after.result)};
  case StepStatus::Stuck: return Event{Event::Kind::Stuck, name_of(step.why)};
  case StepStatus::AtLimit: return Event{Event::Kind::Limit, name_of(step.limit)};
  case StepStatus::Stepped: break;
  }
  if (step.action.kind == ActionKind::Print) return Event{Event::Kind::Print, std::move(printed)};
  if (step.action.kind == ActionKind::Read)
    return Event{Event::Kind::Read, shown(step.action.value)};
  return std::nullopt;
}

namespace {

bool same_future(const Config& a, const Config& b) {
  return a.code == b.code && a.pc == b.pc && a.frames == b.frames && a.stack == b.stack &&
         a.input_position == b.input_position && a.heap.blocks == b.heap.blocks;
}

} // namespace

// Brent's way: a state is kept for twice as long each time.
bool repeats_itself(Config c) {
  Config kept = c;
  std::string printed;
  for (std::uint64_t next = 1; step(c, printed).status == StepStatus::Stepped; printed.clear()) {
    if (same_future(kept, c)) return true;
    if (c.steps < next) continue;
    kept = c;
    next *= 2;
  }
  return false;
}

} // namespace sourir
