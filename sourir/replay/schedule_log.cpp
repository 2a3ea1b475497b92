#include "sourir/replay/schedule_log.h"

#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {

namespace {

// The functions that differ from those of the running program: the one with the version, and those
// with labels added for its exits.
std::string changed_functions(const Program& added, const Program& running, const Names& names) {
  Program changed;
  for (const Function& f : added.functions)
    if (std::ranges::find(running.functions, f) == running.functions.end())
      changed.functions.push_back(f);
  return print(changed, names);
}

// The innermost frame, then its callers.
Json outlined_json(const OutlinedFrom& outermost, const Names& names) {
  Json callers = Json::array();
  const OutlinedFrom* rest = &outermost;
  for (; rest->callee != nullptr; rest = rest->callee.get())
    callers.insert(callers.begin(), Json{{"of", version_name(*rest->from, names)},
                                         {"at", rest->head},
                                         {"result", names.text(rest->from->slots[rest->result])}});
  Json out{{"of", version_name(*rest->from, names)}, {"at", rest->head}};
  if (!callers.empty()) out["callers"] = std::move(callers);
  return out;
}

} // namespace

const char* name_of(StepRecord::Kind kind) {
  switch (kind) {
  case StepRecord::Kind::Entered: return "entered";
  case StepRecord::Kind::OsrEntry: return "osr-entry";
  case StepRecord::Kind::Deopt: return "deopt";
  case StepRecord::Kind::MappedDeopt: return "mapped-deopt";
  case StepRecord::Kind::Bailout: break;
  }
  return "bailout";
}

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

void ScheduleLog::begin(const std::string& engine, const std::string& deopt) {
  write_(json_line({{"format", "jit-schedule"},
                    {"version", 2},
                    {"event", "begin"},
                    {"program", program_digest(program_.source(), names_)},
                    {"engine", engine},
                    {"deopt", deopt}}));
}

void ScheduleLog::version(const VersionRecord& added) {
  if (!versions_.insert(added.number).second) return;
  Json out{{"event", "version"},
           {"number", added.number},
           {"function", names_.text(added.code->function)},
           {"name", names_.text(added.code->version)}};
  if (added.outlined != nullptr) out["outlined"] = outlined_json(*added.outlined, names_);
  out["text"] = changed_functions(*added.program, program_.source(), names_);
  out["map"] = Json::parse(to_json(*added.map, names_));
  write_(json_line(out));
}

void ScheduleLog::step(const StepRecord& step) {
  for (const std::optional<VersionRecord>& added : {step.added, step.into})
    if (added) version(*added);
  const std::uint64_t in = step.added ? step.added->number : 0;
  Json out{{"event", name_of(step.kind)}, {"events", step.events}};
  if (step.kind == StepRecord::Kind::Entered) {
    out["function"] = names_.text(step.code->function);
    out["into"] = in;
  } else {
    out["in"] = in;
    out["at"] = position_name(*step.code, step.pc, names_);
    out["depth"] = step.depth;
    if (step.into)
      out["into"] = step.into->number;
    else
      out["frames"] = step.exit != nullptr ? step.exit->outer.size() + 1 : 1;
  }
  if (step.state != nullptr) {
    const std::size_t count = out["frames"].get<std::size_t>();
    out["state"] = frames_json(*step.state, count, names_);
    out["digest"] = frames_digest(*step.state, count, names_);
  }
  write_(json_line(out));
}

void ScheduleLog::end(const Outcome& outcome, const Config& last, std::uint64_t events) {
  Json out{{"event", "end"}, {"events", events}, {"printed", output_.hex()}};
  out.update(end_json(outcome, last, names_));
  write_(json_line(out));
}

} // namespace sourir
