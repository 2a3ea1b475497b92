#include "sourir/cli/run_report.h"

#include "profiler/sample_log.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sourir {

// --- Statistics of the other engines -------------------------------------------------------------

namespace {

struct DispatchSums {
  std::uint64_t calls = 0, direct = 0, suboptimal = 0;
};

// Sub-optimal: no context held, so the call entered the version without one.
DispatchSums dispatch_sums(const native::EngineStatistics& s) {
  DispatchSums sums;
  for (const native::DispatchCounts& d : s.dispatched) {
    sums.calls += d.calls;
    sums.direct += d.direct;
    if (d.by_tiers ? d.when.empty() : d.version->when.empty()) sums.suboptimal += d.calls;
  }
  return sums;
}

std::vector<std::string> context_texts(const native::DispatchCounts& d, const Names& names) {
  std::vector<std::string> all;
  for (const Expr& guard : d.when) all.push_back(print(guard, names));
  return all;
}

Json dispatch_object(const EndedRun& run) {
  const DispatchSums sums = dispatch_sums(*run.counts);
  Json json{{"calls", sums.calls}, {"direct", sums.direct}, {"suboptimal", sums.suboptimal}};
  Json& versions = json["versions"] = Json::array();
  const Names& names = run.places.names();
  for (const native::DispatchCounts& d : run.counts->dispatched) {
    Json& version = versions.emplace_back(Json{{"function", names.text(d.version->function)},
                                               {"version", names.text(d.version->version)},
                                               {"calls", d.calls},
                                               {"direct", d.direct}});
    if (d.by_tiers) version["context"] = context_texts(d, names);
  }
  return json;
}

// "f.ints"; of the tiers "f [(x is int)]".
std::string dispatched_name(const native::DispatchCounts& d, const Names& names) {
  const std::string_view function = names.text(d.version->function);
  if (!d.by_tiers) return fmt::format("{}.{}", function, names.text(d.version->version));
  return fmt::format("{} [{}]", function, fmt::join(context_texts(d, names), ", "));
}

// What of the versions was tried, of how much.
std::string tried_text(const TriedParts& t) {
  const auto share = [](const char* name, std::uint64_t done, std::uint64_t all,
                        const std::string& more) {
    return fmt::format("{:<20}{:>14} of {}{}\n", name, done, all, more);
  };
  const std::string partial =
      t.positions_partial == 0
          ? ""
          : fmt::format(", {} without variables optimized out", t.positions_partial);
  return share("  loops compared", t.loops_compared, t.loops,
               fmt::format(", from {} states at their heads", t.head_states)) +
         share("  exits taken", t.exits_taken, t.exits, "") +
         share("  states compared", t.positions_compared, t.positions,
               " mandatory positions" + partial) +
         share("  in no run", t.parts_assumed, t.parts(),
               fmt::format(" tried in other states, {} with chosen values", t.parts_chosen));
}

} // namespace

std::string engine_statistics_text(const EndedRun& run) {
  const native::EngineStatistics& s = *run.counts;
  std::string out;
  const auto line = [&](std::string_view what, std::uint64_t n, std::string_view unit = "") {
    out += fmt::format("{:<20}{:>14}{}{}\n", what, n, unit.empty() ? "" : " ", unit);
  };
  out += fmt::format("{:<20}{:>14}\n", "engine", run.engine);
  line("prints", s.prints);
  line("reads", s.reads);
  line("calls", s.calls, "(of the interpreter)");
  if (!s.dispatched.empty()) {
    const DispatchSums sums = dispatch_sums(s);
    const Names& names = run.places.names();
    line("dispatched calls", sums.calls, "(of functions with contexts)");
    line("  direct", sums.direct, "(native code knew the version when it was compiled)");
    line("  sub-optimal", sums.suboptimal, "(no context held)");
    for (const native::DispatchCounts& d : s.dispatched)
      line("  " + dispatched_name(d, names) + (d.by_tiers ? " " : ""), d.calls);
  }
  line("deoptimizations", s.exits);
  line("  forced", s.forced);
  line("  to native code", s.exits_to_native);
  if (s.dispatched_exits + s.dispatch_misses != 0)
    line("  deoptless", s.dispatched_exits,
         fmt::format("(to code for their context; {} found none)", s.dispatch_misses));
  line("  cascades", s.cascades, "(exits in a row, each from what the one before entered)");
  line("  longest", s.longest_cascade, "exits");
  line("watchpoints", s.watchpoints, "(elements of arrays)");
  line("  invalidated", s.watchpoints_invalidated, "(by a store)");
  line("bailouts", s.bailouts, "(native code left at an instruction for the interpreter)");
  line("OSR entries", s.osr_entries);
  line("opportunities", s.opportunities, "(counted where exits are forced)");
  line("arrays", s.arrays);
  line("versions compiled", s.compiled);
  line("  optimized", s.optimized, "(from type feedback)");
  line("  invalidated", s.code_invalidated);
  line("  freed", s.freed);
  if (s.verified + s.differing + s.undecided != 0) {
    line("  verified", s.verified, "(the same from the state that asked for it on)");
    line("  differing", s.differing, "(not used)");
    line("  undecided", s.undecided, "(not used)");
  }
  if (run.verified != nullptr) out += tried_text(*run.verified);
  line("machine code", s.machine_code_bytes, "bytes");
  out += fmt::format("{:<20}{:>14.3f}\n", "seconds compiling", s.compile_seconds);
  out += fmt::format("{:<20}{:>14.3f}\n", "seconds", run.seconds);
  return out;
}

Json engine_statistics_object(const EndedRun& run) {
  const native::EngineStatistics& s = *run.counts;
  Json json{{"engine", run.engine},
            {"prints", s.prints},
            {"reads", s.reads},
            {"calls", s.calls},
            {"dispatched", dispatch_object(run)},
            {"deoptimizations", s.exits},
            {"forced", s.forced},
            {"to_native", s.exits_to_native},
            {"deoptless", s.dispatched_exits},
            {"deoptless_misses", s.dispatch_misses},
            {"deoptless_continuations", s.continuations},
            {"dispatch_mistakes", s.outside_context + s.misplaced_versions},
            {"cascades", s.cascades},
            {"longest_cascade", s.longest_cascade},
            {"bailouts", s.bailouts},
            {"osr_entries", s.osr_entries},
            {"watchpoints", s.watchpoints},
            {"watchpoints_invalidated", s.watchpoints_invalidated},
            {"code_invalidated", s.code_invalidated},
            // Former names, for one release.
            {"watched", s.watchpoints},
            {"invalidated", s.watchpoints_invalidated},
            {"resumes", s.bailouts},
            {"loops_entered", s.osr_entries},
            {"retired", s.code_invalidated},
            {"opportunities", s.opportunities},
            {"blocks", s.arrays},
            {"compiled", s.compiled},
            {"optimized", s.optimized},
            {"freed", s.freed},
            {"verified", s.verified},
            {"differing", s.differing},
            {"undecided", s.undecided},
            {"machine_code_bytes", s.machine_code_bytes},
            {"compile_seconds", s.compile_seconds},
            {"seconds", run.seconds}};
  if (const TriedParts* const t = run.verified)
    json["tried"] = {{"loops", t->loops},
                     {"loops_compared", t->loops_compared},
                     {"head_states", t->head_states},
                     {"exits", t->exits},
                     {"exits_taken", t->exits_taken},
                     {"positions", t->positions},
                     {"positions_compared", t->positions_compared},
                     {"positions_partial", t->positions_partial},
                     {"parts_assumed", t->parts_assumed},
                     {"parts_chosen", t->parts_chosen}};
  return json;
}

// --- JSON ----------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLongestResult = std::size_t{1} << 16;

Json head(const char* outcome, int exit_code) {
  Json json;
  json["format"] = "outcome";
  json["version"] = 1;
  json["outcome"] = outcome;
  json["exit_code"] = exit_code;
  return json;
}

void put_place(Json& json, const TextPlaces& places, const ResolvedVersion& code, Pc pc) {
  const LineColumn at = places.at(code, pc);
  json["place"] = places.place(code, pc);
  json["line"] = at.line;
  json["column"] = at.column;
}

// The environment of the i-th frame, 0 the innermost.
Env env_of(const Config& c, std::size_t i) {
  return c.stack.data() + (i == 0 ? c.base : c.frames[c.frames.size() - i].base);
}

Json frames_json(const EndedRun& run) {
  Json all = Json::array();
  const auto& frames = run.outcome.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const ResolvedVersion& code = *frames[i].code;
    Json& frame = all.emplace_back(Json::object());
    put_place(frame, run.places, code,
              i == 0 ? frames[i].pc : TextPlaces::call_position(code, frames[i].pc));
    frame["values"] =
        environment_json(code, env_of(run.config, i), run.config.heap, run.places.names());
  }
  return all;
}

Json outcome_object(const EndedRun& run) {
  const Outcome& o = run.outcome;
  Json json = head(name_of(o.kind), run.exit_code);
  if (o.kind == OutcomeKind::Stop) {
    json["value"] = value_json(o.result, run.config.heap, run.places.names(), kLongestResult);
    return json;
  }
  if (o.kind == OutcomeKind::Stuck) json["reason"] = name_of(o.reason);
  if (o.kind == OutcomeKind::Limit) json["limit"] = name_of(o.limit);
  json["message"] = o.message;
  if (!o.frames.empty()) put_place(json, run.places, *o.frames[0].code, o.frames[0].pc);
  json["frames"] = frames_json(run);
  json["depth"] = o.depth;
  return json;
}

Json statistics_object(const EndedRun& run) {
  if (run.counts != nullptr) return engine_statistics_object(run);
  const Statistics& s = run.statistics;
  Json json;
  json["engine"] = "reference";
  json["steps"] = s.steps;
  Json& rules = json["rules"] = Json::object();
  for (const RuleRow& row : all_rules())
    if (const std::uint64_t n = s.rules[index_of(row)]; n > 0) rules[std::string(row.name)] = n;
  json["prints"] = s.prints;
  json["reads"] = s.reads;
  json["calls"] = s.calls;
  json["max_depth"] = s.max_depth;
  json["deoptimizations"] = s.deoptimizations;
  json["forced"] = s.forced;
  json["opportunities"] = s.opportunities;
  json["blocks"] = s.blocks;
  json["heap_bytes"] = s.heap_bytes;
  json["seconds"] = run.seconds;
  return json;
}

} // namespace

std::string outcome_json_line(const EndedRun& run) { return json_line(outcome_object(run)); }

std::string outcome_json(const EndedRun& run) {
  Json json = outcome_object(run);
  json["statistics"] = statistics_object(run);
  if (!run.why.is_null()) json["why"] = run.why;
  return json_text(json);
}

std::string statistics_json(const EndedRun& run) {
  Json json;
  json["format"] = "statistics";
  json["version"] = 1;
  json.update(statistics_object(run));
  return json_text(json);
}

std::string rejected_json_line(const Loaded& loaded) {
  Json json = head("rejected", exit_status::kRejected);
  json["errors"] = loaded.problems.errors();
  Json checked = Json::parse(diagnostics_json({{&loaded.source, loaded.problems.sorted()}}));
  json["diagnostics"] = std::move(checked["files"][0]["diagnostics"]);
  return json_line(json);
}

// --- Text ----------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLongestValues = 100;

// The name of the failure, under which `explain` has a topic.
const char* title(const Outcome& o) {
  if (o.kind == OutcomeKind::Stuck) return name_of(o.reason);
  return o.kind == OutcomeKind::Limit ? name_of(o.limit) : name_of(o.kind);
}

std::string limit_help(const EndedRun& run) {
  const Limits& limits = *run.config.limits;
  switch (run.outcome.limit) {
  case Limit::Fuel: return fmt::format("the limit is {}\n", counted(limits.fuel, "step"));
  case Limit::Heap:
    return fmt::format("the limit is {}, {} are in use\n", counted(limits.heap, "byte"),
                       run.config.heap.bytes);
  case Limit::Depth: return fmt::format("the limit is {}\n", counted(limits.depth, "call"));
  case Limit::Array: return fmt::format("the limit is {}\n", counted(limits.array, "element"));
  case Limit::Output:
    return fmt::format("the limit is {}, {} are printed\n", counted(limits.output, "byte"),
                       run.config.output_bytes);
  case Limit::None: break;
  }
  return {};
}

// The message above the source line, in the form of a diagnostic of `check`, with title() in place
// of its code.
std::string excerpt(const EndedRun& run, bool colour) {
  const Outcome& o = run.outcome;
  const FrameReport& top = o.frames.front();
  const Span at = o.operand ? run.places.name(*top.code, top.pc, *o.operand)
                            : run.places.span(*top.code, top.pc);
  Diagnostic d{Code::Syntax, Severity::Error, at, o.message};
  if (o.kind == OutcomeKind::Interrupted)
    d.message =
        run.counts != nullptr ? "stopped" : fmt::format("stopped after {} steps", run.config.steps);
  else
    d.help = limit_help(run) + fmt::format("`sourir explain {}` says more", title(o));
  std::string text = render(d, run.places.source(), colour);
  const std::string code = fmt::format("[{}]", row(d.code).name);
  return text.replace(text.find(code), code.size(), fmt::format("[{}]", title(o)));
}

std::string values_text(const FrameReport& frame, const Names& names) {
  std::string out;
  for (const auto& [name, value] : frame.values)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", names.text(name), value);
  return cut(printable(out), kLongestValues);
}

std::string frames_text(const EndedRun& run) {
  struct Line {
    std::string place, position, values;
  };
  const auto& frames = run.outcome.frames;
  std::vector<Line> lines;
  std::size_t place_width = 0, position_width = 0;
  for (const FrameReport& f : frames) {
    const Pc pc = lines.empty() ? f.pc : TextPlaces::call_position(*f.code, f.pc);
    const LineColumn at = run.places.at(*f.code, pc);
    lines.push_back({run.places.place(*f.code, pc),
                     fmt::format("{}:{}", printable(run.places.source().name()), at.line),
                     values_text(f, run.places.names())});
    place_width = std::max(place_width, lines.back().place.size());
    position_width = std::max(position_width, lines.back().position.size());
  }
  std::string out = "frames, innermost first:\n";
  for (const Line& line : lines) {
    std::string text = fmt::format("  {:<{}}  {:<{}}  {}", line.place, place_width, line.position,
                                   position_width, line.values);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  if (run.outcome.depth > frames.size())
    out += fmt::format("  ... {} more\n", run.outcome.depth - frames.size());
  return out;
}

} // namespace

std::string failure_text(const EndedRun& run, bool colour) {
  if (run.outcome.frames.empty())
    return fmt::format("{} {}\n", error_word(), printable(run.outcome.message));
  return excerpt(run, colour) + frames_text(run);
}

std::string statistics_text(const EndedRun& run) {
  if (run.counts != nullptr) return engine_statistics_text(run);
  const Statistics& s = run.statistics;
  std::string out;
  const auto line = [&](std::string_view what, std::uint64_t n, std::string_view unit = "") {
    out += fmt::format("{:<20}{:>14}{}{}\n", what, n, unit.empty() ? "" : " ", unit);
  };
  line("steps", s.steps);
  for (const RuleRow& row : all_rules())
    if (const std::uint64_t n = s.rules[index_of(row)]; n > 0)
      line(fmt::format("  {}", row.name), n);
  line("prints", s.prints);
  line("reads", s.reads);
  line("calls", s.calls);
  line("deepest stack", s.max_depth, "frames");
  line("deoptimizations", s.deoptimizations);
  line("  forced", s.forced);
  line("opportunities", s.opportunities, "(assumes that held, anchors)");
  line("arrays", s.blocks);
  line("heap", s.heap_bytes, "bytes");
  out += fmt::format("{:<20}{:>14.3f}\n", "seconds", run.seconds);
  if (run.seconds > 0)
    out += fmt::format("{:<20}{:>14.1f}\n", "million steps/s",
                       static_cast<double>(s.steps) / run.seconds / 1e6);
  return out;
}

namespace {

using native::SamplingReport;
using profiler::SampledCode;
using profiler::SampledPosition;

std::string trigger_text(const SamplingReport& r) {
  if (!r.trigger) return fmt::format("none works ({})", fmt::join(r.refused, "; "));
  const bool loop = r.trigger == profiler::TriggerKind::Loop;
  std::string text = fmt::format("{}, each {} {}", name_of(*r.trigger), r.period,
                                 loop ? "back edges and calls" : "instructions");
  if (!loop && r.trigger != profiler::TriggerKind::Instructions)
    text += fmt::format(" ({} us)", r.period / profiler::kInstructionsPerNanosecond / 1000);
  if (r.limit != 0 && r.last_period > r.period)
    text += fmt::format(", {}raised to {}, as signals may take {} % of the time",
                        r.adapts ? "at last " : "", r.last_period, r.limit);
  if (!r.refused.empty()) text += fmt::format("; not: {}", fmt::join(r.refused, "; "));
  return text;
}

std::string slot_text(std::size_t slot, const SampledPosition& p) {
  const std::string place = p.parameter ? p.place + " parameter" : p.place;
  return fmt::format("  #{:<3}-> {} {}: [{}] ({}), [{}]{}\n", slot + 1, place, p.what,
                     p.text(p.sampled()), p.samples(), p.text(p.used),
                     p.cleared != 0 ? fmt::format("  cleared {}", counted(p.cleared, "time")) : "");
}

double share(std::uint64_t hits, const SamplingReport& r) { // percent of all samples
  const std::uint64_t all = r.native + r.baseline + r.elsewhere;
  return all == 0 ? 0 : 100 * static_cast<double>(hits) / static_cast<double>(all);
}

std::string code_text(const SampledCode& code, const SamplingReport& r) {
  const std::uint64_t hits = code.hits.load();
  std::string out = fmt::format(
      "{}  {}, {:.1f} %{}{}\n", code.name, counted(hits, "sample"), share(hits, r),
      code.slots.empty() ? "" : fmt::format(", {}", name_of(code.staleness(r.thresholds))),
      code.replaces_stale ? ", made because of samples" : "");
  for (std::size_t slot = 0; slot < code.slots.size(); ++slot)
    if (code.slots[slot] != profiler::kNoPosition)
      out += slot_text(slot, code.positions[code.slots[slot]]);
  return out;
}

} // namespace

namespace {

double handler_percent(const SamplingReport& r) {
  return r.thread_ns == 0
             ? 0
             : 100 * static_cast<double>(r.handler_ns) / static_cast<double>(r.thread_ns);
}

std::string handlers_text(const SamplingReport& r) {
  if (r.limit == 0) return {};
  return fmt::format("signals: {}, {:.2f} % of the time (limit {} %)\n", r.signals,
                     handler_percent(r), r.limit);
}

Json handlers_json(const SamplingReport& r) {
  if (r.limit == 0) return nullptr;
  return {{"limit", r.limit},
          {"percent", handler_percent(r)},
          {"signals", r.signals},
          {"nanoseconds", r.handler_ns},
          {"last_period", r.last_period}};
}

} // namespace

std::string profile_summary(const SamplingReport& r) {
  return fmt::format("sampled by           {}\n{:<20}{:>14} native, {} baseline, {} elsewhere\n"
                     "  found stale       {:>14}, recompiled {}, reinstated {}, abandoned {}\n",
                     trigger_text(r), "samples", r.native, r.baseline, r.elsewhere, r.asked,
                     r.recompiled, r.returned, r.abandoned);
}

namespace {

Json slot_json(std::size_t slot, const SampledPosition& p) {
  Json samples = Json::object(), used = Json::array();
  for (std::size_t kind = 0; kind < kTypes; ++kind) {
    const TypeSet set = static_cast<Kind>(kind);
    if (p.counts[kind] != 0) samples[p.text(set)] = p.counts[kind];
    if (p.used.intersects(set)) used.push_back(p.text(set));
  }
  return {{"slot", slot + 1},    {"place", p.place},   {"parameter", p.parameter},
          {"variable", p.what},  {"samples", samples}, {"used", used},
          {"cleared", p.cleared}};
}

Json code_json(const SampledCode& code, const SamplingReport& r) {
  Json slots = Json::array();
  for (std::size_t slot = 0; slot < code.slots.size(); ++slot)
    if (code.slots[slot] != profiler::kNoPosition)
      slots.push_back(slot_json(slot, code.positions[code.slots[slot]]));
  return {{"name", code.name},
          {"samples", code.hits.load()},
          {"staleness", name_of(code.staleness(r.thresholds))},
          {"asked_for", code.replaces_stale},
          {"slots", slots}};
}

} // namespace

std::string profile_json(const SamplingReport& r, const std::string& advice) {
  Json code = Json::array();
  for (const auto& one : r.code) code.push_back(code_json(*one, r));
  Json baseline = Json::array();
  for (const auto& [name, hits] : r.baseline_versions)
    baseline.push_back({{"name", name}, {"samples", hits}});
  return json_text({{"format", "profile"},
                    {"version", 2},
                    {"advice", advice.empty() ? Json(nullptr) : Json(advice)},
                    {"trigger", r.trigger ? Json(name_of(*r.trigger)) : Json(nullptr)},
                    {"refused", r.refused},
                    {"period", r.period},
                    {"handlers", handlers_json(r)},
                    {"min_samples", r.thresholds.min_samples},
                    {"max_samples", r.thresholds.max_samples},
                    {"enough", r.thresholds.min_samples}, // the former names of both
                    {"polluted", r.thresholds.max_samples},
                    {"native", r.native},
                    {"baseline", r.baseline},
                    {"elsewhere", r.elsewhere},
                    {"without_slots", r.without_slots},
                    {"stale", r.asked},
                    {"recompiled", r.recompiled},
                    {"reinstated", r.returned},
                    {"abandoned", r.abandoned},
                    {"returned", r.returned}, // the former names of both
                    {"given_up", r.abandoned},
                    {"code", code},
                    {"unfinished", r.unfinished},
                    {"baseline_versions", baseline}});
}

std::string profile_text(const SamplingReport& r) {
  std::string out = fmt::format(
      "trigger: {}\n{}thresholds: T1 = {}, T2 = {}\n"
      "samples: {} in native code ({} where all types are known), {} in the baseline, "
      "{} elsewhere\n"
      "code found stale {}, recompiled {}, reinstated {}; {} abandoned\n",
      trigger_text(r), handlers_text(r), r.thresholds.min_samples, r.thresholds.max_samples,
      r.native, r.without_slots, r.baseline, r.elsewhere, counted(r.asked, "time"),
      counted(r.recompiled, "time"), counted(r.returned, "time"), counted(r.abandoned, "function"));
  for (const auto& code : r.code)
    if (code->hits.load() != 0 || !code->positions.empty()) out += "\n" + code_text(*code, r);
  if (!r.unfinished.empty())
    out += fmt::format("\nnot compiled yet when the program ended: {}\n",
                       fmt::join(r.unfinished, ", "));
  if (!r.baseline_versions.empty()) out += "\nin the baseline:\n";
  for (const auto& [name, hits] : r.baseline_versions)
    out += fmt::format("  {}  {}, {:.1f} %\n", name, counted(hits, "sample"), share(hits, r));
  return out;
}

// --- Files ---------------------------------------------------------------------------------------

std::string ProfileFiles::open(const ProfileOptions& o) {
  to_stderr_ = o.report == "-";
  json_ = o.json;
  const std::pair<SideFile*, std::string> files[] = {{&report_, to_stderr_ ? "" : o.report},
                                                     {&samples_, o.record},
                                                     {&folded_, o.folded},
                                                     {&speedscope_, o.speedscope},
                                                     {&html_, o.html}};
  for (const auto& [file, path] : files)
    if (std::string problem = file->open(path); !problem.empty()) return problem;
  return {};
}

void ProfileFiles::write(const native::SamplingReport& report, const std::string& program,
                         const std::string& advice) {
  const std::string text = json_ ? profile_json(report, advice) : profile_text(report);
  if (to_stderr_) say(text);
  if (report_.out()) report_.out()->write(text);
  std::vector<profiler::RecordedSample> all = report.recorded;
  all.insert(all.end(), report.baseline_recorded.begin(), report.baseline_recorded.end());
  const auto stacks =
      profiler::stacks_of(all, report.baseline - report.baseline_recorded.size(), report.elsewhere);
  if (samples_.out())
    samples_.out()->write(
        profiler::samples_text(report.recorded, report.trigger ? name_of(*report.trigger) : ""));
  if (folded_.out()) folded_.out()->write(profiler::folded(stacks));
  if (speedscope_.out()) speedscope_.out()->write(profiler::speedscope(stacks, program));
  if (html_.out()) html_.out()->write(profiler::flame_graph(stacks, program));
}

std::string ProfileFiles::close() {
  for (SideFile* file : {&report_, &samples_, &folded_, &speedscope_, &html_})
    if (std::string problem = file->close(); !problem.empty()) return problem;
  return {};
}

} // namespace sourir
