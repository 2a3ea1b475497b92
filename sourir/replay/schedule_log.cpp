#include "sourir/replay/schedule_log.h"

#include "sourir/semantics/text/value_json.h"
#include "sourir/semantics/text/version_text.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {

namespace {

using native::TierStep;

std::uint64_t number_of(const native::AddedVersion* added) {
  return added != nullptr ? added->number : 0;
}

const char* event_of(TierStep::Kind kind) {
  switch (kind) {
  case TierStep::Kind::Entered: return "entered";
  case TierStep::Kind::Moved: return "moved";
  case TierStep::Kind::Left: return "left";
  case TierStep::Kind::Mapped: return "mapped";
  case TierStep::Kind::Resumed: break;
  }
  return "resumed";
}

// The functions that are not as they are in the running program: the one with the version, and
// those that got labels for its exits.
std::string changed_functions(const Program& added, const Program& running, const Names& names) {
  Program changed;
  for (const Function& f : added.functions)
    if (std::ranges::find(running.functions, f) == running.functions.end())
      changed.functions.push_back(f);
  return print(changed, names);
}

} // namespace

std::string program_digest(const Program& program, const Names& names) {
  Digest digest;
  digest.add(print(program, names));
  return digest.hex();
}

Json end_json(const Outcome& outcome, const Config& last, const Names& names) {
  Json out{{"outcome", name_of(outcome.kind)}};
  if (outcome.kind == OutcomeKind::Stuck) out["reason"] = name_of(outcome.reason);
  if (outcome.kind == OutcomeKind::Limit) out["limit"] = name_of(outcome.limit);
  if (outcome.kind == OutcomeKind::Stop) {
    out["result"] = show(outcome.result, last.heap, names, 60);
    out["digest"] = value_digest(outcome.result, last.heap, names);
  }
  return out;
}

void ScheduleLog::begin(const std::string& engine, const std::string& leave) {
  write_(json_line({{"format", "jit-schedule"},
                    {"version", 1},
                    {"event", "begin"},
                    {"program", program_digest(program_.source(), names_)},
                    {"engine", engine},
                    {"leave", leave}}));
}

void ScheduleLog::version(const native::AddedVersion& added) {
  if (!versions_.insert(added.number).second) return;
  const ResolvedVersion& code = added.code();
  Json out{{"event", "version"},
           {"number", added.number},
           {"function", names_.text(code.function)},
           {"name", names_.text(code.version)}};
  if (added.cut_out)
    out["cut_out"] = {{"of", version_name(*added.cut_out->from, names_)},
                      {"at", added.cut_out->head}};
  out["text"] = changed_functions(*added.program, program_.source(), names_);
  out["map"] = Json::parse(to_json(added.map, names_));
  write_(json_line(out));
}

void ScheduleLog::step(const TierStep& step) {
  for (const native::AddedVersion* added : {step.added, step.into})
    if (added != nullptr) version(*added);
  Json out;
  if (step.kind == TierStep::Kind::Entered) {
    out = {{"event", event_of(step.kind)},
           {"clock", step.clock},
           {"function", names_.text(step.code->function)},
           {"into", number_of(step.added)}};
  } else {
    out = {{"event", event_of(step.kind)},
           {"clock", step.clock},
           {"in", number_of(step.added)},
           {"at", position_name(*step.code, step.pc, names_)}};
    if (step.into != nullptr) {
      out["into"] = step.into->number;
    } else {
      out["depth"] = step.depth;
      out["frames"] = step.exit != nullptr ? step.exit->outer.size() + 1 : 1;
    }
  }
  if (step.state != nullptr) {
    const std::size_t count = out["frames"].get<std::size_t>();
    out["state"] = frames_json(*step.state, count, names_);
    out["digest"] = frames_digest(*step.state, count, names_);
  }
  write_(json_line(out));
}

void ScheduleLog::end(const native::EngineRun& run) {
  Json out{{"event", "end"}, {"clock", run.clock}, {"printed", output_.hex()}};
  out.update(end_json(run.outcome, run.last, names_));
  write_(json_line(out));
}

} // namespace sourir
