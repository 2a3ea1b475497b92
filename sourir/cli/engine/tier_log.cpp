#include "sourir/cli/engine/tier_log.h"

#include "native/deopt/deopt_context.h"
#include "native/deopt/exit_details.h"
#include "native/runtime/code_cache.h"
#include "native/tiering/compile_job.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/match.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sourir {
namespace {

using native::ExitDetails;
using native::ShownValue;
using native::TierEvent;

constexpr std::size_t kMostFrames = 8, kMostVariables = 16; // of an exit

// --- Exits ---

std::string guard_text(const TierEvent& e, const Names& names) {
  return print(std::get<Assume>(e.code->source->body[e.pc].instr).guards[*e.details->guard], names);
}

// "(x is int) is false", as the trace of the reference has it.
std::string because(const TierEvent& e, const Names& names) {
  const bool none = e.details->why != StuckReason::None;
  return guard_text(e, names) + (none ? " has no value: " : " is ") +
         (none ? name_of(e.details->why) : e.details->value.text);
}

// Why the exit was taken, with a separator in front.
std::string reason_text(const TierEvent& e, const Names& names) {
  if (e.details == nullptr) return {};
  if (e.details->forced) return "; forced";
  if (!e.details->guard) return "; early, its guards hold";
  std::string out = "; " + because(e, names);
  for (const auto& [slot, value] : e.details->operands)
    out += fmt::format(", {} = {}", names.text(e.code->slots[slot]), value.text);
  return out;
}

struct ShownFrame {
  std::string at;
  std::vector<std::pair<std::string, ShownValue>> values;
  std::size_t omitted = 0; // variables
};

ShownFrame shown(const native::FrameState& frame, const Names& names) {
  ShownFrame out{position_name(*frame.code, frame.pc, names), {}, 0};
  for (Slot x = 0; x < frame.code->slots.size(); ++x) {
    if (frame.slots[x].is(Tag::Unbound)) continue;
    if (out.values.size() == kMostVariables) {
      ++out.omitted;
      continue;
    }
    out.values.emplace_back(names.text(frame.code->slots[x]), native::shown(frame.slots[x], names));
  }
  return out;
}

std::span<const native::FrameState> shown_frames(const ExitDetails& details) {
  return std::span(details.frames).first(std::min(details.frames.size(), kMostFrames));
}

std::string frames_text(const ExitDetails& details, const Names& names) {
  std::string out;
  for (const native::FrameState& frame : shown_frames(details)) {
    const ShownFrame f = shown(frame, names);
    out += fmt::format("  frame  {} [", f.at);
    for (std::size_t i = 0; i < f.values.size(); ++i)
      out +=
          fmt::format("{}{} = {}", i == 0 ? "" : ", ", f.values[i].first, f.values[i].second.text);
    out += f.omitted == 0 ? "]\n" : fmt::format(", {} more]\n", f.omitted);
  }
  if (details.frames.size() > kMostFrames)
    out += fmt::format("  {} more frames\n", details.frames.size() - kMostFrames);
  return out;
}

Json tagged(const ShownValue& v) {
  switch (v.tag) {
  case Tag::Nil:
  case Tag::Unbound: return {{"nil", nullptr}};
  case Tag::Bool: return {{"bool", v.text == "true"}};
  case Tag::Int: return {{"int", v.text}};
  case Tag::Float: return {{"float", v.text}};
  case Tag::String: return {{"string", v.text}};
  case Tag::Fun: return {{"fun", v.text}};
  case Tag::Array: return {{"array", v.text}};
  }
  return {};
}

Json frame_json(const native::FrameState& frame, const Names& names) {
  const ShownFrame f = shown(frame, names);
  Json out{{"at", f.at}, {"values", Json::object()}};
  for (const auto& [name, value] : f.values) out["values"][name] = tagged(value);
  if (f.omitted != 0) out["omitted"] = f.omitted;
  return out;
}

void put_details(Json& out, const TierEvent& e, const Names& names) {
  const ExitDetails& details = *e.details;
  out["forced"] = details.forced;
  if (details.guard) {
    out["guard"] = guard_text(e, names);
    out["because"] = because(e, names);
    out["read"] = read_values(e, names);
  }
  out["frames"] = Json::array();
  for (const native::FrameState& frame : shown_frames(details))
    out["frames"].push_back(frame_json(frame, names));
  if (details.frames.size() > kMostFrames)
    out["omitted_frames"] = details.frames.size() - kMostFrames;
}

// --- The feedback that a version was made from ---

// A predicate that the optimizer got.
struct FeedbackFact {
  std::string at, predicate, from;
};

std::string kind_of_result(const Instruction& instr) {
  if (std::holds_alternative<Call>(instr)) return "result of a call";
  if (std::holds_alternative<Read>(instr)) return "input";
  const auto* const decl = std::get_if<Decl>(&instr);
  const auto* const assign = std::get_if<Assign>(&instr);
  const Expr* const value = decl != nullptr && decl->value ? &*decl->value
                            : assign != nullptr            ? &assign->value
                                                           : nullptr;
  return value != nullptr && std::holds_alternative<Index>(*value) ? "element" : "result";
}

class FeedbackFacts {
public:
  FeedbackFacts(const native::CompileJob& job, const Names& names) : job_(job), names_(names) {}

  std::vector<FeedbackFact> all() {
    if (job_.stale != nullptr) add_samples();
    add_earlier_samples();
    for (const Feedback::Predicate& held : job_.predicates.predicates) add(held);
    for (const Feedback::BranchCounts& counts : job_.predicates.branches) add(counts);
    for (const Feedback::Predicate& held : job_.predicates.results)
      if (!is_predicate(held)) add(held);
    for (const Place& place : job_.predicates.unreached)
      facts_.push_back({print(place, names_), "", "never executed"});
    if (job_.kind == native::CompileJob::Kind::Loop) add_entry_types();
    return std::move(facts_);
  }

private:
  const ResolvedVersion* version(const Place& at) const {
    const auto is = [&](const ResolvedVersion& v) {
      return v.function == at.function && v.version == at.version;
    };
    if (is(*job_.version)) return job_.version;
    for (const auto& [version, sites] : job_.feedback.sites)
      if (is(*version)) return version;
    return nullptr;
  }

  bool is_predicate(const Feedback::Predicate& result) const {
    return std::ranges::any_of(job_.predicates.predicates, [&](const Feedback::Predicate& held) {
      return held.at == result.at && held.predicate == result.predicate;
    });
  }

  void add(const Feedback::Predicate& held) {
    const ResolvedVersion* const code = version(held.at);
    std::string from;
    if (const auto* const test = std::get_if<KindTest>(&held.predicate)) {
      const std::string type(kTypeNames[static_cast<std::size_t>(test->kind)]);
      const std::string what = held.at.offset == 0 ? "argument"
                               : code != nullptr
                                   ? kind_of_result(code->source->body[held.at.offset - 1].instr)
                                   : "result";
      from = fmt::format("{}: always {}", what, type);
    } else if (const auto* const elements = std::get_if<ElementsTest>(&held.predicate)) {
      from = fmt::format("elements of the array: always {}", spelling(elements->kind));
    } else if (const auto* const equal = std::get_if<Binary>(&held.predicate)) {
      from = fmt::format("target of the call: always {}", print(equal->right, names_));
    }
    facts_.push_back({print(held.at, names_), print(held.predicate, names_), std::move(from)});
  }

  void add(const Feedback::BranchCounts& counts) {
    const ResolvedVersion* const code = version(counts.at);
    const auto* const branch =
        code != nullptr ? std::get_if<Branch>(&code->source->body[counts.at.offset].instr)
                        : nullptr;
    facts_.push_back({print(counts.at, names_), "",
                      fmt::format("branch{}: true {} times, false {} times",
                                  branch != nullptr ? " " + print(branch->condition, names_) : "",
                                  counts.taken, counts.not_taken)});
  }

  void add_entry_types() {
    for (Slot x = 0; x < job_.entry_types.size(); ++x)
      if (const Tag tag = job_.entry_types[x]; tag != Tag::Unbound)
        facts_.push_back(
            {position_name(*job_.version, job_.pc, names_),
             print(Expr(KindTest{job_.version->slots[x], static_cast<Kind>(tag)}), names_),
             fmt::format("value at the OSR entry: {}", kTypeNames[static_cast<std::size_t>(tag)])});
  }

  void add_samples() {
    for (const profiler::SampledPosition& position : job_.stale->positions)
      if (const std::uint32_t n = position.samples(); n != 0)
        facts_.push_back({position.place, "",
                          fmt::format("samples of {}: {} of {}", position.what, n,
                                      position.text(position.sampled()))});
  }

  // What samples of earlier code told.
  void add_earlier_samples() {
    for (const auto& [of, site] : job_.feedback.sampled) {
      const auto& [code, at] = site.place;
      const auto x = site.elements ? accessed_array(code->instrs[at]) : bound_by(code->instrs[at]);
      const profiler::SampledPosition position{.elements = site.elements};
      facts_.push_back(
          {position_name(*code, at, names_), "",
           fmt::format("samples of {} in code of {}.{}: {}", x ? names_.text(code->slots[*x]) : "",
                       names_.text(of->function), names_.text(of->version),
                       position.text(site.types))});
    }
  }

  const native::CompileJob& job_;
  const Names& names_;
  std::vector<FeedbackFact> facts_;
};

std::string facts_text(const native::CompileJob& job, const Names& names) {
  std::string out;
  const std::vector<FeedbackFact> facts = FeedbackFacts(job, names).all();
  for (const FeedbackFact& fact : std::span(facts).first(std::min(facts.size(), kShownFacts)))
    out += "  from  " + feedback_line(fact.at, fact.predicate, fact.from) + "\n";
  if (facts.size() > kShownFacts) out += fmt::format("  {} more\n", facts.size() - kShownFacts);
  return out;
}

Json facts_json(const native::CompileJob& job, const Names& names) {
  Json out = Json::array();
  for (const FeedbackFact& fact : FeedbackFacts(job, names).all()) {
    Json& one = out.emplace_back(Json{{"at", fact.at}});
    if (!fact.predicate.empty()) one["predicate"] = fact.predicate;
    one["from"] = fact.from;
  }
  return out;
}

// The guards of the version, each with its position.
Json guards_json(const ResolvedVersion& code, const Names& names) {
  Json out = Json::array();
  for (Pc pc = 0; pc < code.source->body.size(); ++pc)
    if (const auto* const assume = std::get_if<Assume>(&code.source->body[pc].instr))
      for (const Expr& guard : assume->guards)
        out.push_back({{"at", pc}, {"guard", print(guard, names)}});
  return out;
}

// --- Events ---

bool is_optimized(const TierEvent& e) { return e.added != nullptr && e.job != nullptr; }

// " for type [x is float]": which exits enter a continuation.
std::string for_context(const native::DeoptContext& context, const Names& names) {
  return fmt::format(" for {} {}", native::name_of(context.cause.guard),
                     native::text_of(context, names));
}

std::vector<std::string> texts(const std::vector<Expr>& guards, const Names& names) {
  std::vector<std::string> all;
  for (const Expr& guard : guards) all.push_back(print(guard, names));
  return all;
}

// Which calls enter a version of a function that has several; empty: it has not.
std::string for_calls(const native::CompileJob* job, const Names& names) {
  if (job == nullptr || job->entry == nullptr) return "";
  if (!job->call_context) return " for all other calls";
  return fmt::format(" for calls [{}]", fmt::join(texts(job->when, names), ", "));
}

std::string compiled_text(const TierEvent& e, const std::string& version, const Names& names) {
  const std::string where = e.loop    ? fmt::format(", OSR entry at the loop at +{}", e.pc)
                            : e.exits ? fmt::format(", continuation at +{}", e.pc)
                                      : "";
  return fmt::format("compiled     {}{}{}{}{}  {} bytes, {:.1f} ms{}\n{}", version, where,
                     for_calls(e.job, names),
                     e.context != nullptr ? for_context(*e.context, names) : "",
                     e.added != nullptr ? "  (an optimized version)" : "", e.bytes, e.milliseconds,
                     e.sampled        ? ", because of samples"
                     : e.instrumented ? ", entered for samples only"
                                      : "",
                     is_optimized(e) ? facts_text(*e.job, names) : "");
}

const char* name_of(native::Refusal refusal) {
  switch (refusal) {
  case native::Refusal::TooLarge: return "too-large";
  case native::Refusal::Parameters: return "parameters";
  case native::Refusal::NoCompiler: return "no-compiler";
  case native::Refusal::Failed: return "failed";
  case native::Refusal::Differs: return "differs";
  case native::Refusal::Undecided: return "undecided";
  }
  return "";
}

// Why the versions of a job are compiled as they are; empty: that is what the engine does.
std::string why_as_written(const native::CompileJob& job) {
  if (!job.speculates)
    return job.invalidations == 0
               ? ""
               : fmt::format("without speculation, after {} invalidations (--tier invalidations)",
                             job.invalidations);
  if (job.optimizes) return "the optimizer made no version that is used";
  return job.versions.size() > 1 ? "contexts decide which version a call enters"
                                 : "without an optimizer (--no-speculation, --deopt=enter)";
}

std::string tier_text(const TierEvent& e, const Names& names) {
  const std::string version = version_name(*e.code, names);
  switch (e.kind) {
  case TierEvent::Kind::Compiled: return compiled_text(e, version, names);
  case TierEvent::Kind::NotCompiled:
    return fmt::format("not compiled {}{}  {}\n", version,
                       e.entry != nullptr ? fmt::format(", at +{}", e.pc) : "",
                       refusal_text(tier_record(e, names)));
  case TierEvent::Kind::Invalidated:
    return fmt::format("invalidated  {}{}\n", version,
                       e.sampled ? "  too general for what was sampled" : "");
  case TierEvent::Kind::Reinstated:
    return fmt::format("reinstated   {}  in place of what samples asked for\n", version);
  case TierEvent::Kind::Deoptimized: break;
  }
  const std::string place = position_name(*e.code, e.pc, names);
  if (e.exit == nullptr)
    return e.native ? fmt::format("tier-up      {}  to native code of this loop\n", place)
                    : fmt::format("bailout      {}  to the interpreter\n", place);
  return fmt::format("deopt        {}  to {}{}{}\n", place,
                     fmt::join(exit_targets(*e.exit, names), " <- "),
                     e.context != nullptr ? ", deoptless:" + for_context(*e.context, names)
                     : e.native           ? ", in native code"
                     : e.interpreted      ? ", from the interpreter"
                                          : "",
                     reason_text(e, names));
}

// The name of the event, and its name in version 1 of the format.
std::pair<const char*, const char*> event_names(const TierEvent& e) {
  switch (e.kind) {
  case TierEvent::Kind::Compiled: return {"compiled", "compiled"};
  case TierEvent::Kind::NotCompiled: return {"not-compiled", "not-compiled"};
  case TierEvent::Kind::Invalidated: return {"invalidated", "retired"};
  case TierEvent::Kind::Reinstated: return {"reinstated", "returned"};
  case TierEvent::Kind::Deoptimized: break;
  }
  return {e.exit != nullptr ? "deopt" : e.native ? "tier-up" : "bailout", "left"};
}

void put_compiled(Json& out, const TierEvent& e, const Names& names) {
  out["loop"] = e.loop;
  out["exits"] = e.exits;
  out["bytes"] = e.bytes;
  out["milliseconds"] = e.milliseconds;
  if (e.job != nullptr && e.job->call_context) out["when"] = texts(e.job->when, names);
  if (e.added != nullptr) out["text"] = version_text(*e.code, names);
  if (e.added != nullptr) out["guards"] = guards_json(*e.code, names);
  if (is_optimized(e)) out["made_from"] = facts_json(*e.job, names);
  if (e.job == nullptr) return;
  out["counted"] = e.job->counted;
  if (const std::string why = why_as_written(*e.job); e.added == nullptr && !why.empty())
    out["as_written"] = why;
}

void put_refusal(Json& out, const TierEvent& e, const Names& names) {
  out["refusal"] = name_of(e.refusal);
  out["optimized"] = e.refused_version != nullptr;
  if (e.refused_version != nullptr) out["text"] = version_text(*e.refused_version, names);
  if (e.size != 0) out["instructions"] = e.size;
  if (!e.detail.empty()) out["detail"] = e.detail;
}

} // namespace

Json read_values(const TierEvent& e, const Names& names) {
  Json out = Json::object();
  for (const auto& [slot, value] : e.details->operands)
    out[std::string(names.text(e.code->slots[slot]))] = tagged(value);
  return out;
}

std::string feedback_line(std::string_view at, std::string_view predicate, std::string_view from) {
  return fmt::format("{}  {}{}{}", at, predicate, predicate.empty() ? "" : "  ", from);
}

std::string refusal_text(const Json& record) {
  const std::string why = record.at("refusal");
  std::string text = record.at("optimized").get<bool>() ? "(an optimized version)  " : "";
  if (why == "too-large")
    return text + fmt::format("{} instructions are more than --tier size allows",
                              record.at("instructions").get<std::uint64_t>());
  if (why == "parameters")
    return text + fmt::format("it has more than {} parameters", native::kMostNativeParameters);
  if (why == "differs") return text + "refused by --verify: it differs";
  if (why == "undecided") return text + "refused by --verify: undecided";
  return text + record.value("detail", why);
}

Json tier_record(const TierEvent& e, const Names& names) {
  const auto [event, former] = event_names(e);
  Json out{{"format", "tiers"},
           {"version", 2},
           {"of", version_name(*e.code, names)},
           {"event", event},
           {"former_event", former}};
  if (e.kind != TierEvent::Kind::Invalidated) out["at"] = e.pc;
  if (e.entry != nullptr) out["entry"] = position_name(*e.entry->version, e.entry->pc, names);
  if (e.kind == TierEvent::Kind::Compiled) put_compiled(out, e, names);
  if (e.kind == TierEvent::Kind::NotCompiled) put_refusal(out, e, names);
  if (e.kind == TierEvent::Kind::Invalidated) {
    out["exit_count"] = e.exit_count;
    out["invalidations"] = e.invalidations;
    out["resets_feedback"] = e.resets_feedback;
  }
  if (e.context != nullptr)
    out["context"] = {{"guard", native::name_of(e.context->cause.guard)},
                      {"types", native::text_of(*e.context, names)}};
  if (e.sampled && e.kind != TierEvent::Kind::Reinstated) out["sampled"] = true;
  if (e.instrumented) out["instrumented"] = true;
  if (e.kind == TierEvent::Kind::Deoptimized) {
    out["to"] = e.exit != nullptr ? exit_targets(*e.exit, names) : std::vector<std::string>();
    out["native"] = e.native;
    if (e.interpreted) out["interpreted"] = true;
    if (e.details != nullptr) put_details(out, e, names);
  }
  return out;
}

std::string tier_log(const TierEvent& event, TierForm form, const Names& names) {
  if (form == TierForm::JsonLines) return json_line(tier_record(event, names));
  std::string out = tier_text(event, names);
  if (form == TierForm::Versions && event.added != nullptr) out += version_text(*event.code, names);
  if (form == TierForm::Versions && event.refused_version != nullptr)
    out += version_text(*event.refused_version, names);
  if (form == TierForm::Versions && event.details != nullptr)
    out += frames_text(*event.details, names);
  return out;
}

std::string nothing_compiled_line(const std::string& advice) {
  return json_line(
      {{"format", "tiers"}, {"version", 2}, {"event", "nothing-compiled"}, {"advice", advice}});
}

} // namespace sourir
