#include "sourir/cli/events/kept_events.h"

#include "sourir/cli/bench/bench_environment.h"
#include "sourir/cli/document.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

using profiler::EventCounts;
using profiler::EventSet;
using profiler::EventType;

const EventType* type_named(std::string_view name) {
  const auto types = profiler::event_types();
  const auto found = std::ranges::find(types, name, &EventType::name);
  return found == types.end() ? nullptr : &*found;
}

std::int64_t count_at(const Document& of, const char* key, const std::string& place) {
  if (of.is_object() && !of.contains(key)) return 0;
  return static_cast<std::int64_t>(number_at(of, key, place));
}

EventCounts counts_of(const Document& by_name, const std::string& place) {
  EventCounts counts;
  for (const auto& [name, of] : by_name.items()) {
    const std::string here = place + name + "/";
    const std::int64_t native = count_at(of, "native", here),
                       interpreted = count_at(of, "interpreted", here);
    const EventType* const type = type_named(name);
    if (type == nullptr) continue;
    counts.native[static_cast<std::size_t>(type->event)] = native;
    counts.interpreted[static_cast<std::size_t>(type->event)] = interpreted;
  }
  return counts;
}

std::vector<std::string> texts_at(const Document& of, const std::string& key,
                                  const std::string& place) {
  std::vector<std::string> texts;
  for (const auto& [i, text] : array_at(of, key, place).items()) {
    if (!text.is_string()) throw BadDocument(fmt::format("{}{}/{} is no text", place, key, i));
    texts.push_back(text);
  }
  return texts;
}

MeasuredProgram program_at(const Document& of, const std::string& place) {
  MeasuredProgram made{string_at(of, "program", place), string_at(of, "output", place), {}, {}};
  made.seconds = times_at(of, "seconds", place);
  for (const auto& [i, run] : array_at(of, "runs", place).items()) {
    const std::string here = fmt::format("{}runs/{}/", place, i);
    if (!run.is_object()) throw BadDocument(here + " is no object");
    made.runs.push_back(counts_of(run, here));
  }
  if (made.runs.empty()) throw BadDocument(place + "runs is empty");
  return made;
}

KeptEvents kept_of(const Document& document) {
  check_format(document, "event-counts", 1, "sourir profile --keep");
  KeptEvents kept;
  kept.strategy = string_at(document, "strategy", "");
  kept.engine = string_at(document, "engine", "");
  kept.flags = texts_at(document, "flags", "");
  for (const std::string& name : texts_at(document, "events", "")) {
    const EventType* const type = type_named(name);
    if (type != nullptr)
      kept.events.insert(type->event);
    else
      kept.unknown_events.push_back(name);
  }
  for (const auto& [i, program] : array_at(document, "programs", "").items())
    kept.programs.push_back(program_at(program, "programs/" + i + "/"));
  return kept;
}

} // namespace

Result<ReadReport> read_event_report(std::string_view text, const std::string& name) {
  return read_document(text, name, [](const Document& document) {
    check_format(document, "events", 1, "sourir profile --events --json");
    return ReadReport{string_at(document, "outcome", ""),
                      counts_of(object_at(document, "events", ""), "events/")};
  });
}

nlohmann::ordered_json event_counts_json(const EventCounts& counts, const EventSet& events) {
  Document all = Document::object();
  for (const EventType& t : profiler::event_types()) {
    if (!events.contains(t.event) || counts.of(t.event) == 0) continue;
    const auto e = static_cast<std::size_t>(t.event);
    Document& one = all[t.name] = {{"native", counts.native[e]}};
    if (counts.interpreted[e] != 0) one["interpreted"] = counts.interpreted[e];
  }
  return all;
}

std::string names_of(const EventSet& events) {
  std::string names;
  for (const EventType& t : profiler::event_types())
    if (events.contains(t.event)) names.append(names.empty() ? "" : ",").append(t.name);
  return names;
}

nlohmann::ordered_json kept_events_json(const KeptEvents& kept) {
  Document json = {{"format", "event-counts"}, {"version", 1},        {"strategy", kept.strategy},
                   {"engine", kept.engine},    {"flags", kept.flags}, {"build", bench_build()}};
  json["events"] = Document::array();
  for (const EventType& t : profiler::event_types())
    if (kept.events.contains(t.event)) json["events"].push_back(t.name);
  json["programs"] = Document::array();
  for (const MeasuredProgram& p : kept.programs) {
    Document runs = Document::array();
    for (const EventCounts& run : p.runs) runs.push_back(event_counts_json(run, kept.events));
    json["programs"].push_back({{"program", p.program},
                                {"output", p.output},
                                {"seconds", p.seconds},
                                {"runs", std::move(runs)}});
  }
  return json;
}

Result<KeptEvents> read_kept_events(std::string_view text, const std::string& name) {
  return read_document(text, name, kept_of);
}

} // namespace sourir
