#include "sourir/cli/engine/why_report.h"

#include "sourir/cli/engine/tier_log.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sourir {
namespace {

using Entered = WhyUnit::Entered;

// --- The state at the end ---

// What an engine without a compiler, or without counts, means for the question; empty: auto.
std::string engine_note(const std::string& engine) {
  if (engine == "reference")
    return "--engine=reference executes the semantics step by step: it counts nothing, compiles "
           "nothing and takes exits by their guards alone (--trace shows them); --engine=auto "
           "compiles";
  if (engine == "baseline")
    return "--engine=baseline is the interpreter alone: it counts calls and takes exits, but "
           "compiles nothing; --engine=auto compiles";
  if (engine == "native")
    return "--engine=native compiles every version as it is written before the program starts, "
           "without type feedback; only targets of exits are counted and compiled later";
  return {};
}

struct Count {
  std::uint64_t counted = 0, needed = 0;
  const char* what = "";              // the events
  const char* flag = "";              // that sets the number
  const char* switched_off = nullptr; // the flag that prevents code here; null: none is given
};

Count count_of(const WhyUnit& unit, const TierOptions& tiers) {
  const native::TierCounts& c = unit.counts;
  switch (unit.by) {
  case Entered::Calls: return {c.calls, c.calls_needed, "calls", "calls"};
  case Entered::Loop: // one that was never at a poll has no counts
    return {c.iterations, c.iterations_needed == 0 ? tiers.iterations : c.iterations_needed,
            "iterations", "iterations", tiers.no_osr_entries ? "--no-osr-in" : nullptr};
  case Entered::Exits: break;
  }
  return {c.arrivals, c.arrivals_needed, "exits", "continuations",
          tiers.no_continuations ? "--no-osr-out" : nullptr};
}

bool was_refused(const WhyUnit& unit) {
  const auto last = std::ranges::find_if(unit.items.rbegin(), unit.items.rend(),
                                         [](const WhyItem& i) { return i.key.empty(); });
  return last != unit.items.rend() && last->record.at("event") == "not-compiled" &&
         !last->record.at("optimized").get<bool>();
}

// Why activations that begin here run in the baseline. Precondition: they do.
std::string why_not(const WhyUnit& unit, const WhyRun& run) {
  const Count n = count_of(unit, run.tiers);
  const std::string so_far =
      fmt::format("{} of {} {} counted (--tier {})", n.counted, n.needed, n.what, n.flag);
  if (was_refused(unit)) return "the compiler has refused it";
  if (run.engine == "baseline")
    return "this engine compiles nothing; " + counted(n.counted, "call");
  if (default_engine() == "baseline") return "this build makes no native code";
  if (run.engine == "native" && unit.by == Entered::Calls) return "it is entered by exits only";
  if (unit.counts.requested)
    return fmt::format("the program ended {} (--jit-sync waits for the compiler)",
                       !unit.items.empty() && unit.items.back().record.at("event") == "compiled"
                           ? "before its code was entered"
                           : "while the compiler worked on it");
  if (n.switched_off != nullptr) return fmt::format("{} was given", n.switched_off);
  if (n.counted < n.needed) return "not hot: " + so_far;
  if (run.tiers.delay != 0 && !run.tiers.synchronous && unit.by != Entered::Exits)
    return fmt::format("{}, but nothing is compiled in the first {} ms of a run (--tier delay, "
                       "--jit-sync), and it was not reached again after that",
                       so_far, run.tiers.delay);
  return so_far + ", and it was not reached again after that";
}

// --- Text ---

std::string shown_value(const Json& tagged) {
  const auto value = tagged.begin();
  if (value->is_null()) return "nil";
  return value->is_boolean() ? value->dump() : value->get<std::string>();
}

std::string shown_values(const Json& values) {
  std::string out;
  for (const auto& [name, value] : values.items())
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, shown_value(value));
  return out;
}

std::string string_of(const Json& record, const char* key) {
  return record.at(key).get<std::string>();
}

bool is_set(const Json& record, const char* key) { return record.value(key, false); }

constexpr const char* kIndent = "    ";

std::string event_line(std::string_view event, const std::string& rest) {
  return fmt::format("{}{:<13}{}\n", kIndent, event, rest);
}

std::string detail_line(const std::string& text) { return fmt::format("{}  {}\n", kIndent, text); }

std::string compiled_item(const Json& r) {
  std::string out = string_of(r, "of");
  if (r.contains("when"))
    out += fmt::format(" for calls [{}]",
                       fmt::join(r.at("when").get<std::vector<std::string>>(), ", "));
  if (r.contains("counted"))
    out += " after " + counted(r.at("counted").get<std::size_t>(), is_set(r, "loop") ? "iteration"
                                                                   : is_set(r, "exits") ? "exit"
                                                                                        : "call");
  out += is_set(r, "instrumented")  ? ": instrumented code, entered for samples only"
         : r.contains("text")       ? ": an optimized version"
         : r.contains("as_written") ? ": as it is written (" + string_of(r, "as_written") + ")"
                                    : ": as it is written";
  out += fmt::format(", {} bytes", r.at("bytes").get<std::uint64_t>());
  if (const double ms = r.at("milliseconds").get<double>(); ms != 0)
    out += fmt::format(", {:.1f} ms", ms);
  if (is_set(r, "sampled")) out += ", because of samples";
  std::string lines = event_line("compiled", out);
  const Json none = Json::array();
  const Json& facts = r.contains("made_from") ? r.at("made_from") : none;
  for (std::size_t i = 0; i < std::min(facts.size(), kShownFacts); ++i)
    lines += detail_line("from  " + feedback_line(string_of(facts[i], "at"),
                                                  facts[i].value("predicate", std::string()),
                                                  string_of(facts[i], "from")));
  if (facts.size() > kShownFacts)
    lines += detail_line(fmt::format("{} more", facts.size() - kShownFacts));
  return lines;
}

std::string frame_lines(const Json& r) {
  std::string out;
  if (!r.contains("frames")) return out;
  for (const Json& frame : r.at("frames"))
    out += detail_line(fmt::format("frame {} [{}{}]", string_of(frame, "at"),
                                   shown_values(frame.at("values")),
                                   frame.contains("omitted") ? ", ..." : ""));
  if (r.contains("omitted_frames"))
    out += detail_line(fmt::format("{} more frames", r.at("omitted_frames").get<std::uint64_t>()));
  return out;
}

std::string exit_reason(const Json& r) {
  if (r.contains("because")) return "; " + string_of(r, "because");
  if (is_set(r, "forced")) return "; forced (--deopt)";
  return r.contains("forced") ? "; early, its guards hold: a store invalidated a watchpoint" : "";
}

std::string exits_item(const WhyItem& item) {
  const Json& r = item.record;
  const std::string place =
      fmt::format("{}+{}", string_of(r, "of"), r.at("at").get<std::uint64_t>());
  const std::string times = counted(item.times, "time");
  const std::string event = string_of(r, "event");
  if (event != "deopt")
    return event_line(event, fmt::format("{} at {}, to {}", times, place,
                                         event == "tier-up" ? "native code of this loop"
                                                            : "the interpreter")) +
           frame_lines(r);
  std::string out = fmt::format("{} at {}, to {}", times, place,
                                fmt::join(r.at("to").get<std::vector<std::string>>(), " <- "));
  if (item.to_native != 0)
    out += fmt::format(", {} on to native code", counted(item.to_native, "time"));
  if (is_set(r, "interpreted")) out += ", from the interpreter";
  out = event_line(event, out + exit_reason(r));
  for (const WhyItem::Values& v : item.values)
    if (!v.read.empty())
      out += detail_line(fmt::format("{} with {}", v.times, shown_values(v.read)));
  if (item.others != 0) out += detail_line(fmt::format("{} with other values", item.others));
  return out + frame_lines(r);
}

std::string invalidated_item(const Json& r) {
  const std::string code = string_of(r, "of");
  if (is_set(r, "sampled"))
    return event_line("invalidated", code + ": too general for what was sampled; replaced");
  return event_line("invalidated",
                    fmt::format("{} after {} (--tier exits, replace); invalidations so far: {}{}",
                                code, counted(r.at("exit_count").get<std::size_t>(), "exit"),
                                r.at("invalidations").get<std::uint64_t>(),
                                is_set(r, "resets_feedback") ? ", type feedback is reset" : ""));
}

std::string item_lines(const WhyItem& item) {
  const Json& r = item.record;
  const std::string event = string_of(r, "event");
  if (event == "compiled") return compiled_item(r);
  if (event == "not-compiled")
    return event_line("not compiled", string_of(r, "of") + ": " + refusal_text(r));
  if (event == "invalidated") return invalidated_item(r);
  if (event == "reinstated")
    return event_line("reinstated", string_of(r, "of") + ", in place of what samples asked for");
  return exits_item(item);
}

std::string head_of(const WhyUnit& unit) {
  switch (unit.by) {
  case Entered::Calls: return "calls";
  case Entered::Loop: return "loop at " + unit.place;
  case Entered::Exits: break;
  }
  return "exits to " + unit.place;
}

std::string unit_lines(const WhyUnit& unit, bool complete, const WhyRun& run) {
  std::string out = "  " + head_of(unit) + "\n";
  for (const WhyItem& item : unit.items) out += item_lines(item);
  if (!complete) return out;
  if (unit.runs.empty()) return out + event_line("now", "the baseline: " + why_not(unit, run));
  const bool counts = unit.by == Entered::Calls && run.engine == "auto";
  return out +
         event_line("now", fmt::format("native code of {}{}", fmt::join(unit.runs, ", "),
                                       counts ? fmt::format("; the interpreter has made {} calls",
                                                            unit.counts.calls)
                                              : ""));
}

// Only auto has OSR entries at loops.
bool is_shown(const WhyUnit& unit, const WhyRun& run) {
  return unit.by != Entered::Loop || run.engine == "auto" || !unit.items.empty();
}

// --- JSON ---

Json item_json(const WhyItem& item) {
  Json out{{"event", item.record}, {"times", item.times}};
  if (item.key.empty()) return out;
  out["to_native"] = item.to_native;
  out["values"] = Json::array();
  for (const WhyItem::Values& v : item.values)
    out["values"].push_back({{"read", v.read}, {"times", v.times}});
  if (item.others != 0) out["other_values"] = item.others;
  return out;
}

Json items_json(const std::vector<WhyItem>& items) {
  Json out = Json::array();
  for (const WhyItem& item : items) out.push_back(item_json(item));
  return out;
}

Json unit_json(const WhyUnit& unit, bool complete, const WhyRun& run) {
  const char* const by = unit.by == Entered::Calls  ? "calls"
                         : unit.by == Entered::Loop ? "loop"
                                                    : "exits";
  Json out{{"entered_by", by}};
  if (!unit.place.empty()) out["at"] = unit.place;
  out["history"] = items_json(unit.items);
  if (!complete) return out;
  const Count n = count_of(unit, run.tiers);
  out["counted"] = n.counted;
  out["needed"] = n.needed;
  out["invalidations"] = unit.counts.invalidations;
  out["native_code_of"] = unit.runs;
  if (unit.runs.empty()) out["baseline_because"] = why_not(unit, run);
  return out;
}

} // namespace

std::string why_text(const WhyAnswer& answer, const WhyRun& run) {
  std::string out = fmt::format("why {}\n", answer.wanted);
  if (const std::string note = engine_note(run.engine); !note.empty()) out += "  " + note + "\n";
  if (run.engine == "reference") return out;
  if (!answer.complete)
    out += "  the run could not be stopped where it was: the last counts are not known\n";
  for (const WhyUnit& unit : answer.units)
    if (is_shown(unit, run)) out += unit_lines(unit, answer.complete, run);
  if (!answer.inlined_in.empty())
    out += fmt::format("  inlined in {} (its calls there are not counted)\n",
                       fmt::join(answer.inlined_in, ", "));
  if (!answer.elsewhere.empty()) out += "  exits of other code that lead here\n";
  for (const WhyItem& item : answer.elsewhere) out += item_lines(item);
  return out;
}

Json why_json(const WhyAnswer& answer, const WhyRun& run) {
  Json out{{"of", answer.wanted}, {"engine", run.engine}};
  if (const std::string note = engine_note(run.engine); !note.empty()) out["note"] = note;
  if (run.engine == "reference") return out;
  out["complete"] = answer.complete;
  out["units"] = Json::array();
  for (const WhyUnit& unit : answer.units)
    if (is_shown(unit, run)) out["units"].push_back(unit_json(unit, answer.complete, run));
  out["inlined_in"] = answer.inlined_in;
  out["exits_from_elsewhere"] = items_json(answer.elsewhere);
  return out;
}

std::string why_line(const WhyAnswer& answer, const WhyRun& run) {
  return json_line({{"format", "tiers"},
                    {"version", 2},
                    {"event", "why"},
                    {"of", answer.wanted},
                    {"why", why_json(answer, run)}});
}

} // namespace sourir
