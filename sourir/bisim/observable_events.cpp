#include "sourir/bisim/observable_events.h"

#include "sourir/syntax/text/printer.h"

#include <algorithm>
#include <array>

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

std::string kind_of(const Event& event) {
  switch (event.kind) {
  case Event::Kind::Print: return "print";
  case Event::Kind::Read: return "read";
  case Event::Kind::Stop: return "stop";
  case Event::Kind::Stuck: return "stuck(" + event.text + ")";
  case Event::Kind::Limit: return "limit(" + event.text + ")";
  }
  return {};
}

std::string kinds_of(const Event& a, const Event& b) { return kind_of(a) + "/" + kind_of(b); }

std::string_view kind_of_instr(const ResolvedVersion& code, Pc pc) {
  static constexpr std::array kNames{
      std::string_view("var"),    std::string_view("drop"),   std::string_view("assign"),
      std::string_view("array"),  std::string_view("array"),  std::string_view("store"),
      std::string_view("branch"), std::string_view("goto"),   std::string_view("print"),
      std::string_view("read"),   std::string_view("assert"), std::string_view("call"),
      std::string_view("return"), std::string_view("stop"),   std::string_view("assume"),
      std::string_view("anchor"), std::string_view("hint")};
  static_assert(kNames.size() == std::variant_size_v<resolved::Instr>);
  return pc < code.instrs.size() ? kNames[code.instrs[pc].index()] : "end";
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

// The comparisons that differ most often and cost least come first.
bool same_future(const Config& a, const Config& b) {
  return a.code == b.code && a.pc == b.pc && a.base == b.base && a.stack.size() == b.stack.size() &&
         a.heap.bytes == b.heap.bytes &&
         std::equal(a.env(), a.stack.data() + a.stack.size(), b.env()) && a.frames == b.frames &&
         a.stack == b.stack && a.input_position == b.input_position &&
         a.heap.blocks == b.heap.blocks;
}

} // namespace

// Brent's algorithm: a state is kept for twice as long each time.
bool diverges_silently(Config c) {
  Config kept = c;
  std::string printed;
  for (std::uint64_t next = 1;;) {
    const StepResult r = step(c, printed);
    if (seen(r, {}, c)) return false;
    if (same_future(kept, c)) return true;
    if (c.steps < next) continue;
    kept = c;
    next *= 2;
  }
  return false;
}

} // namespace sourir
