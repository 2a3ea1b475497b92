#include "sourir/cli/events/event_options.h"

#include "sourir/cli/events/event_report.h"
#include "sourir/cli/events/reference_events.h"

#include <fmt/format.h>

namespace sourir {

namespace {

using profiler::EventGrouping;
using profiler::EventStrategy;

std::string known_events() {
  std::string names = "all";
  for (std::size_t c = 0; c < profiler::kEventCategories; ++c)
    names += fmt::format(", {}", profiler::name_of(static_cast<profiler::EventCategory>(c)));
  return names;
}

} // namespace

void add_event_flags(std::vector<Flag>& flags, EventProfileOptions& o) {
  Flag events = text_flag("--events", "LIST", o.events,
                          "count events instead of sampling: all, names, categories (allocation, "
                          "arithmetic, arrays, branches, calls, guards, memory, types, other) or "
                          "phases (version, lowering, llvm), with commas; `--events help` lists "
                          "them");
  events.listing = event_list();
  add_group(
      flags, "Events",
      {std::move(events),
       choice_flag(
           "--strategy", Flag::Takes::Value, {"count", "decode", "direct", "none"}, o.strategy,
           "count: each path is counted where it ends (the default); decode: its events "
           "are added there; direct: an increment for each event; none: markers are set and "
           "taken out, and nothing is counted: what markers cost"),
       choice_flag("--markers", Flag::Takes::Value, {"exact", "light"}, o.markers,
                   "events of the phases before LLVM's: exact, LLVM is kept from executing or "
                   "merging code where they could not be counted (the default); light, it is not, "
                   "and they are not counted there"),
       choice_flag("--by", Flag::Takes::Value, {"function", "version", "loop", "line"}, o.by,
                   "also by function, by version and compilation, by loop of these, or by the "
                   "place in the program that an instruction comes from"),
       switch_flag("--annotate", o.annotate,
                   "also each version that ran, with counts in the margin; with --strategy=decode "
                   "--json has positions only if this is given"),
       number_flag("--event-paths", o.paths,
                   "paths that may reach a merge before they are cut there (default 64)", 1),
       switch_flag("--csv", o.csv, "the counts as CSV")});
}

std::string no_such_event(std::string_view name) {
  return fmt::format(
      "--events: there is no event '{}'; there are {}, single events and phases: `sourir profile "
      "--events help` lists them",
      name, known_events());
}

std::string prepare_events(EventProfileOptions& o) {
  std::string_view wrong;
  auto events = profiler::EventSet::parse(o.events, wrong);
  if (!events) return no_such_event(wrong);
  if (o.reference)
    if (std::string problem = keep_events_of_reference(o.events, *events); !problem.empty())
      return problem;
  if (o.json && o.csv) return "--json and --csv are two forms of one report";
  if (o.annotate && o.csv) return "--annotate is for people: it does not go together with --csv";
  profiler::EventOptions how{.events = *events};
  how.strategy = o.strategy == "direct"   ? EventStrategy::Direct
                 : o.strategy == "decode" ? EventStrategy::Decode
                 : o.strategy == "none"   ? EventStrategy::None
                                          : EventStrategy::Count;
  how.most_paths = o.paths;
  how.exact = o.markers == "exact";
  how.positions = o.annotate || o.by == "loop" || o.by == "line";
  o.recording = std::make_shared<profiler::EventRecording>(how);
  return {};
}

EventGrouping grouping_of(const EventProfileOptions& o) {
  if (o.by == "version") return EventGrouping::Version;
  if (o.by == "loop") return EventGrouping::Loop;
  return o.by == "line" ? EventGrouping::Line : EventGrouping::Function;
}

} // namespace sourir
