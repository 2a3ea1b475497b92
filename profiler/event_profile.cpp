#include "profiler/event_profile.h"

#include <algorithm>
#include <unordered_map>

namespace sourir::profiler {

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  for (std::size_t e = 0; e < kEvents; ++e) {
    native[e] += other.native[e];
    interpreted[e] += other.interpreted[e];
  }
  return *this;
}

std::string name_of(const EventCode& code) {
  const std::string version = code.function + "." + code.version;
  if (code.interpreted) return version + ", interpreted";
  const std::string at = code.entry ? "" : "@" + std::to_string(code.start);
  return version + at + "#" + std::to_string(code.number);
}

namespace {

// Calls `use` for each site with events: its position, the event, and how often it happened.
template <class F>
void for_each_site(const EventCode& code, F&& use) {
  const std::vector<std::int64_t> counts = code.counts();
  for (std::size_t s = 0; s < counts.size(); ++s)
    if (counts[s] != 0) use(code.sites[s].at, code.sites[s].event, counts[s]);
}

void add(EventCounts& to, bool interpreted, Event event, std::int64_t times) {
  (interpreted ? to.interpreted : to.native)[static_cast<std::size_t>(event)] += times;
}

std::string loop_name(const EventCode& code, std::uint32_t at) {
  const bool in_loop = at < code.loops.size() && code.loops[at] != kNowhere;
  return name_of(code) + (in_loop ? " loop at +" + std::to_string(code.loops[at]) : "");
}

std::string line_name(const EventCode& code, std::uint32_t at) {
  if (at < code.places.size() && !code.places[at].empty()) return code.places[at];
  return code.function + ", elsewhere";
}

std::string group_name(const EventCode& code, std::uint32_t at, EventGrouping by) {
  switch (by) {
  case EventGrouping::Function: return code.function;
  case EventGrouping::Version: return name_of(code);
  case EventGrouping::Loop: return loop_name(code, at);
  case EventGrouping::Line: return line_name(code, at);
  }
  return {};
}

} // namespace

EventCounts total(EventCodes codes) {
  EventCounts sum;
  for (const auto& code : codes)
    for_each_site(*code, [&](std::uint32_t, Event event, std::int64_t times) {
      add(sum, code->interpreted, event, times);
    });
  return sum;
}

std::vector<EventGroup> grouped(EventCodes codes, EventGrouping by) {
  std::vector<EventGroup> groups;
  std::unordered_map<std::string, std::size_t> known;
  for (const auto& code : codes)
    for_each_site(*code, [&](std::uint32_t at, Event event, std::int64_t times) {
      const std::string name = group_name(*code, at, by);
      const auto [found, added] = known.try_emplace(name, groups.size());
      if (added) groups.push_back({name, {}});
      add(groups[found->second].counts, code->interpreted, event, times);
    });
  return groups;
}

std::vector<EventCounts> by_position(const EventCode& code) {
  std::vector<EventCounts> result(code.listing.size() + 1);
  for_each_site(code, [&](std::uint32_t at, Event event, std::int64_t times) {
    add(result[std::min<std::size_t>(at, code.listing.size())], code.interpreted, event, times);
  });
  return result;
}

double interpreted_share(const EventCounts& counts) {
  const auto all = counts.of(Event::Instruction);
  const auto interpreted = counts.interpreted[static_cast<std::size_t>(Event::Instruction)];
  return all == 0 ? 0 : static_cast<double>(interpreted) / static_cast<double>(all);
}

} // namespace sourir::profiler
