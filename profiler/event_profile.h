// Sums over what a run has counted: by function, code, loop or place of the program. Pure.
#pragma once

#include "profiler/event_code.h"

#include <array>
#include <span>

namespace sourir::profiler {

// By event; never negative once a run is over.
struct EventCounts {
  std::array<std::int64_t, kEvents> native{}, interpreted{};

  std::int64_t of(Event e) const {
    return native[static_cast<std::size_t>(e)] + interpreted[static_cast<std::size_t>(e)];
  }
  EventCounts& operator+=(const EventCounts& other);
};

enum class EventGrouping : std::uint8_t {
  Function,
  Version, // one compilation of a version, or the interpreter's form of it
  Loop,    // the innermost loop of such code
  Line,    // the place in the program that the instruction comes from
};

struct EventGroup {
  std::string name;
  EventCounts counts;
};

using EventCodes = std::span<const std::shared_ptr<const EventCode>>;

EventCounts total(EventCodes codes);
// In the order of the code; none without any event.
std::vector<EventGroup> grouped(EventCodes codes, EventGrouping by);
// "f.opt#3", with "@5" where running activations enter it at position 5; "f.base, interpreted".
std::string name_of(const EventCode& code);
// By position of the code: what happens there. The last entry: what has no position.
std::vector<EventCounts> by_position(const EventCode& code);

// The share of the instructions of sourir that the interpreter executed; 0 where none were counted.
double interpreted_share(const EventCounts& counts);

} // namespace sourir::profiler
