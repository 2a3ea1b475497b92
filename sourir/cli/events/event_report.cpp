#include "sourir/cli/events/event_report.h"

#include "sourir/cli/events/kept_events.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

using profiler::Event;
using profiler::EventCode;
using profiler::EventCounts;
using profiler::EventGroup;
using profiler::EventType;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::int64_t native(const EventCounts& c, const EventType& t) {
  return c.native[static_cast<std::size_t>(t.event)];
}
std::int64_t interpreted(const EventCounts& c, const EventType& t) {
  return c.interpreted[static_cast<std::size_t>(t.event)];
}

std::vector<EventType> wanted(const EventProfileOptions& o) {
  std::vector<EventType> types;
  for (const EventType& t : profiler::event_types())
    if (o.recording->options.events.contains(t.event)) types.push_back(t);
  return types;
}

std::string table(const EventCounts& counts, const std::vector<EventType>& types) {
  std::string text;
  profiler::EventPhase phase = profiler::EventPhase::Version;
  for (const EventType& t : types) {
    if (counts.of(t.event) == 0) continue;
    if (t.phase != phase) text += "\n";
    phase = t.phase;
    const std::string in_interpreter =
        interpreted(counts, t) == 0 ? ""
                                    : fmt::format("  and {} interpreted", interpreted(counts, t));
    text += fmt::format("  {:<22}{:>16}{}\n", t.name, native(counts, t), in_interpreter);
  }
  return text.empty() ? "  none\n" : text;
}

// --- Annotated versions ---

// The events that are shown in the margin: those that were asked for by name, at most a few.
std::vector<EventType> margin(const std::vector<EventType>& types) {
  constexpr std::size_t kMost = 4;
  if (types.size() <= kMost) return types;
  std::vector<EventType> some;
  for (const EventType& t : types)
    if (t.event == Event::Instruction || t.event == Event::LlvmInstruction) some.push_back(t);
  return some;
}

std::string annotated(const EventCode& code, const std::vector<EventType>& types) {
  const std::vector<EventCounts> counts = profiler::by_position(code);
  const auto line = [&](const EventCounts& c, const std::string& rest) {
    std::string text;
    for (const EventType& t : types)
      text += c.of(t.event) == 0 ? fmt::format("{:>14}", "") : fmt::format("{:>14}", c.of(t.event));
    return text + rest + "\n";
  };
  std::string text = fmt::format("\n{}\n", profiler::name_of(code));
  for (const EventType& t : types) text += fmt::format("{:>14}", std::string(t.name).substr(0, 13));
  text += "\n";
  for (std::size_t pc = 0; pc < code.listing.size(); ++pc)
    text += line(counts[pc], fmt::format("  +{:<4} {}", pc, code.listing[pc]));
  if (std::ranges::any_of(types,
                          [&](const EventType& t) { return counts.back().of(t.event) != 0; }))
    text += line(counts.back(), "  elsewhere");
  return text;
}

bool has_counts(const EventCode& code) {
  return std::ranges::any_of(code.counts(), [](std::int64_t n) { return n != 0; });
}

// --- CSV ---

std::string csv(const std::vector<EventGroup>& groups, const std::vector<EventType>& types) {
  std::string text = "where,event,category,phase,native,interpreted\n";
  for (const EventGroup& g : groups)
    for (const EventType& t : types)
      if (g.counts.of(t.event) != 0)
        text +=
            fmt::format("\"{}\",{},{},{},{},{}\n", g.name, t.name, profiler::name_of(t.category),
                        profiler::name_of(t.phase), native(g.counts, t), interpreted(g.counts, t));
  return text;
}

// --- JSON ---

// Of all code that was made: what counting took.
Json tables_json(profiler::EventCodes codes) {
  std::uint64_t objects = 0, paths = 0, counters = 0, decoding = 0;
  for (const auto& code : codes) {
    if (code->interpreted) continue;
    ++objects;
    paths += code->paths;
    counters += code->worth.size();
    decoding += code->decoding_bytes;
  }
  return {{"code_objects", objects},
          {"paths", paths},
          {"counters", counters},
          {"counter_bytes", counters * sizeof(std::uint64_t)},
          {"decoding_bytes", decoding}};
}

Json code_json(const EventCode& code, const profiler::EventSet& events) {
  Json lines = Json::array();
  const std::vector<EventCounts> counts = profiler::by_position(code);
  for (std::size_t pc = 0; pc < counts.size(); ++pc) {
    Json here = event_counts_json(counts[pc], events);
    if (here.empty()) continue;
    Json line = {{"counts", std::move(here)}};
    if (pc < code.listing.size()) {
      line["at"] = pc;
      line["instruction"] = code.listing[pc];
      line["place"] = code.places[pc];
    }
    lines.push_back(std::move(line));
  }
  return {{"name", profiler::name_of(code)},
          {"function", code.function},
          {"version", code.version},
          {"interpreted", code.interpreted},
          {"at_entry", code.entry},
          {"start", code.start},
          {"paths", code.paths},
          {"counters", code.worth.size()},
          {"decoding_bytes", code.decoding_bytes},
          {"lines", std::move(lines)}};
}

} // namespace

std::string event_list() {
  std::string text;
  for (const EventType& t : profiler::event_types())
    text += fmt::format("{:<22}{:<12}{:<10}{}\n", t.name, profiler::name_of(t.category),
                        profiler::name_of(t.phase), t.what);
  text += "\nEvent types of Basso and others (TOPLAS 2023, Table 2) that cannot occur here:\n";
  for (const profiler::ImpossibleEvent& e : profiler::impossible_events())
    text += fmt::format("{:<22}{}\n", e.of_source, e.why);
  return text;
}

std::string event_report(const EventProfileOptions& o, const std::string& program, bool complete) {
  const auto codes = o.recording->codes();
  const std::vector<EventType> types = wanted(o);
  const std::vector<EventGroup> groups = profiler::grouped(codes, grouping_of(o));
  if (o.csv) return csv(groups, types);
  const EventCounts all = profiler::total(codes);
  std::string text = o.reference ? fmt::format("events of {}, by the reference", program)
                                 : fmt::format("events of {}, strategy {}", program, o.strategy);
  if (!o.reference && o.recording->options.strategy == profiler::EventStrategy::None)
    return text + ": nothing was counted\n";
  if (!complete)
    text += "; the last counts of native code are lost, which a run that --fuel ends has";
  else if (all.of(Event::Instruction) != 0 && !o.reference)
    text += fmt::format("; the interpreter executed {} of the instructions",
                        percent(profiler::interpreted_share(all)));
  text += "\n" + table(all, types);
  if (!o.by.empty())
    for (const EventGroup& g : groups)
      text += fmt::format("\n{}\n{}", g.name, table(g.counts, types));
  if (o.annotate)
    for (const auto& code : codes)
      if (has_counts(*code)) text += annotated(*code, margin(types));
  return text;
}

Json event_report_json(const EventProfileOptions& o, const std::string& program,
                       const Outcome& outcome, int exit_code, bool complete) {
  const auto codes = o.recording->codes();
  const profiler::EventSet& events = o.recording->options.events;
  const EventCounts all = profiler::total(codes);
  const bool counted = complete && o.recording->options.strategy != profiler::EventStrategy::None;
  Json groups = Json::array(), code = Json::array();
  for (const EventGroup& g : profiler::grouped(codes, grouping_of(o)))
    groups.push_back({{"name", g.name}, {"counts", event_counts_json(g.counts, events)}});
  for (const auto& c : codes)
    if (has_counts(*c)) code.push_back(code_json(*c, events));
  return {{"format", "events"},
          {"version", 1},
          {"program", program},
          {"outcome", name_of(outcome.kind)},
          {"exit_code", exit_code},
          {"strategy", o.reference ? Json() : Json(o.strategy)},
          {"events", event_counts_json(all, events)},
          {"interpreted_share", counted ? Json(profiler::interpreted_share(all)) : Json()},
          {"tables", tables_json(codes)},
          {"by", o.by.empty() ? "function" : o.by},
          {"groups", std::move(groups)},
          {"code", std::move(code)}};
}

} // namespace sourir
