#include "sourir/cli/profile_report.h"

#include "profiler/stacks.h"
#include "sourir/os/output.h"
#include "sourir/semantics/text/value_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sourir {

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
  if (!r.refused.empty()) text += fmt::format("; not: {}", fmt::join(r.refused, "; "));
  return text;
}

std::string slot_text(std::size_t slot, const SampledPosition& p) {
  const std::string place = p.parameter ? p.place + " parameter" : p.place;
  return fmt::format("  #{:<3}-> {} {}: [{}] ({}), [{}]{}\n", slot + 1, place, p.what,
                     profiler::types_text(p.sampled()), p.samples(), profiler::types_text(p.used),
                     p.cleared != 0 ? fmt::format("  cleared {} times", p.cleared) : "");
}

std::string code_text(const SampledCode& code, const SamplingReport& r) {
  const std::uint64_t all = r.native + r.baseline + r.elsewhere;
  const std::uint64_t hits = code.hits.load();
  std::string out = fmt::format(
      "{}  {} samples, {:.1f} %{}{}\n", code.name, hits,
      all == 0 ? 0.0 : 100.0 * static_cast<double>(hits) / static_cast<double>(all),
      code.slots.empty() ? "" : fmt::format(", {}", name_of(code.staleness(r.thresholds))),
      code.asked_for ? ", made because of samples" : "");
  for (std::size_t slot = 0; slot < code.slots.size(); ++slot)
    if (code.slots[slot] != profiler::kNoPosition)
      out += slot_text(slot, code.positions[code.slots[slot]]);
  return out;
}

} // namespace

std::string profile_summary(const SamplingReport& r) {
  return fmt::format("sampled by           {}\n{:<20}{:>14} native, {} baseline, {} elsewhere\n"
                     "  found stale       {:>14}, recompiled {}, reinstated {}, abandoned {}\n",
                     trigger_text(r), "samples", r.native, r.baseline, r.elsewhere, r.asked,
                     r.recompiled, r.returned, r.given_up);
}

namespace {

Json slot_json(std::size_t slot, const SampledPosition& p) {
  Json samples = Json::object(), used = Json::array();
  for (std::size_t kind = 0; kind < kTypes; ++kind) {
    const TypeSet set = static_cast<Kind>(kind);
    if (p.counts[kind] != 0) samples[profiler::types_text(set)] = p.counts[kind];
    if (p.used.intersects(set)) used.push_back(profiler::types_text(set));
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
          {"asked_for", code.asked_for},
          {"slots", slots}};
}

} // namespace

std::string profile_json(const SamplingReport& r) {
  Json code = Json::array();
  for (const auto& one : r.code) code.push_back(code_json(*one, r));
  return json_text({{"format", "profile"},
                    {"version", 2},
                    {"trigger", r.trigger ? Json(name_of(*r.trigger)) : Json(nullptr)},
                    {"refused", r.refused},
                    {"period", r.period},
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
                    {"abandoned", r.given_up},
                    {"returned", r.returned}, // the former names of both
                    {"given_up", r.given_up},
                    {"code", code}});
}

std::string profile_text(const SamplingReport& r) {
  std::string out = fmt::format(
      "trigger: {}\nthresholds: T1 = {}, T2 = {}\n"
      "samples: {} in native code ({} where all types are known), {} in the baseline, "
      "{} elsewhere\n"
      "code found stale {} times, recompiled {} times, reinstated {} times; {} functions "
      "abandoned\n",
      trigger_text(r), r.thresholds.min_samples, r.thresholds.max_samples, r.native,
      r.without_slots, r.baseline, r.elsewhere, r.asked, r.recompiled, r.returned, r.given_up);
  for (const auto& code : r.code)
    if (code->hits.load() != 0 || !code->positions.empty()) out += "\n" + code_text(*code, r);
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

void ProfileFiles::write(const native::SamplingReport& report, const std::string& program) {
  const std::string text = json_ ? profile_json(report) : profile_text(report);
  if (to_stderr_) say(text);
  if (report_.out()) report_.out()->write(text);
  const auto stacks = profiler::stacks_of(report.recorded, report.baseline, report.elsewhere);
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
