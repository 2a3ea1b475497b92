// The observable events of a run: prints, reads, and its end.
#pragma once

#include "sourir/semantics/step.h"

#include <string>

namespace sourir {

struct Event {
  enum class Kind : std::uint8_t { Print, Read, Stop, Stuck, Limit };
  Kind kind = Kind::Stop;
  std::string text; // the value as printed; the reason; the limit

  bool ends() const { return kind >= Kind::Stop; }
  friend bool operator==(const Event&, const Event&) = default;
};
// "prints 1", "stops with 0", "is stuck: division-by-zero", ...
std::string describe(const Event& event);
// Without values: "print", "stop", "stuck(division-by-zero)", "limit(fuel)"; of two, "print/stop".
std::string kind_of(const Event& event);
std::string kinds_of(const Event& a, const Event& b);
// "assume", "call"; "end" after the last one.
std::string_view kind_of_instr(const ResolvedVersion& code, Pc pc);

// The event of a step that was done, or could not be done; `printed`: its text. Empty: it is not
// observable.
std::optional<Event> seen(const StepResult& step, std::string printed, const Config& after);

// To the next event; `visit` sees each configuration before its step and may end that by false.
template <class Visit>
std::optional<Event> advance(Config& c, Visit&& visit) {
  std::string printed;
  while (visit(std::as_const(c))) {
    const StepResult r = step(c, printed);
    if (auto event = seen(r, std::move(printed), c)) return event;
    printed.clear();
  }
  return std::nullopt;
}

// Whether the run comes to a state exactly like an earlier one, with no event in between, before
// its fuel is used up: then it has no further event. (A schedule that forces exits at some
// opportunities only must have no more of them.)
bool diverges_silently(Config c);

} // namespace sourir
