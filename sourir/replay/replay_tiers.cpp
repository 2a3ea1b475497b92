#include "sourir/replay/replay_tiers.h"

#include "sourir/replay/schedule_log.h"
#include "sourir/semantics/link.h"
#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace sourir {

namespace {

using StepKind = LoggedStep::Kind;

std::string described(const LoggedStep& step, const Names& names) {
  const std::string at = position_name(*step.code, step.pc, names);
  switch (step.kind) {
  case StepKind::Entered: return fmt::format("calls enter {}", version_name(*step.code, names));
  case StepKind::OsrEntry:
    return fmt::format("the frame at {} moves into {}", at, version_name(step.into->code(), names));
  case StepKind::Deopt: return fmt::format("the exit at {} is taken", at);
  case StepKind::MappedDeopt:
    return fmt::format("the frame at {} deoptimizes by the state map", at);
  case StepKind::Bailout: break;
  }
  return fmt::format("native code bails out at {}", at);
}

// A line for each frame.
std::string shown(const Json& frames) {
  std::string out;
  for (const Json& frame : frames) {
    out += "    " + frame.value("at", "?");
    if (const auto values = frame.find("values"); values != frame.end() && values->is_object())
      for (const auto& [name, value] : values->items())
        out += fmt::format("  {} = {}", name, value.is_string() ? value.get<std::string>() : "?");
    out += "\n";
  }
  return out;
}

} // namespace

GrowthSchedule growth_of(const JitSchedule& log) {
  std::vector<GrowthStep> steps;
  for (const LoggedStep& step : log.steps) {
    GrowthStep& growth = steps.emplace_back();
    growth.events = step.events;
    growth.depth = step.depth;
    growth.code = step.code;
    growth.pc = step.pc;
    if (step.into != nullptr) growth.into = &step.into->code();
    switch (step.kind) {
    case StepKind::Entered: growth.kind = GrowthStep::Kind::Enter; break;
    case StepKind::OsrEntry:
      growth.kind = GrowthStep::Kind::MoveIn;
      growth.rest = &*step.into->outlined;
      growth.with = step.into->with;
      break;
    case StepKind::Deopt: growth.kind = GrowthStep::Kind::Exit; break;
    case StepKind::MappedDeopt:
      growth.kind = GrowthStep::Kind::Mapped;
      growth.exit = &*step.exit;
      break;
    case StepKind::Bailout: growth.kind = GrowthStep::Kind::Remark; break;
    }
  }
  return GrowthSchedule(std::move(steps));
}

const LoggedStep* TierReplay::next() const {
  if (!difference_.empty() || next_ == schedule_.steps.size()) return nullptr;
  return &schedule_.steps[next_];
}

void TierReplay::differs(const std::string& what, const LoggedStep* step) {
  if (!difference_.empty()) return;
  difference_ = what + "\n";
  if (step != nullptr)
    difference_ += fmt::format("  the log, line {}: at event {} {}\n", step->line, step->events,
                               described(*step, names_));
  if (!c_.stopped())
    difference_ += fmt::format("  the reference is at {}, after {} events\n",
                               position_name(*c_.code, c_.pc, names_), c_.events);
}

void TierReplay::compare(const LoggedStep& step) {
  if (step.digest.empty()) return;
  ++states_;
  if (c_.frames.size() != step.depth)
    return differs(fmt::format("another number of frames: {} in the log, {} in the reference",
                               step.depth, c_.frames.size()),
                   &step);
  const Json state = frames_json(c_, step.frames, names_);
  if (frames_digest(c_, step.frames, names_) == step.digest && state == step.state) return;
  differs("the state is another one", &step);
  difference_ += "  in the log:\n" + shown(step.state) + "  in the reference:\n" + shown(state);
  if (state == step.state) difference_ += "  (beyond what is shown)\n";
}

// What the log says of the current position before the instruction there is executed. Growth itself
// is steps of the semantics.
void TierReplay::here() {
  for (const LoggedStep* step; !c_.stopped() && (step = next()) != nullptr; ++next_) {
    const GrowthStep& growth = growth_.steps()[next_];
    if (step->code != c_.code || step->pc != c_.pc) return;
    if (step->kind == StepKind::OsrEntry && step->events == c_.events &&
        !GrowthSchedule::waits_for(c_, growth))
      return differs("the callers are others", step);
    if (growth_.pending(c_) == &growth && grows(c_).rule == nullptr)
      return differs("the frames cannot be made", step);
    if (step->kind != StepKind::Bailout || step->events != c_.events ||
        step->depth != c_.frames.size())
      return;
    ++bailouts_;
    compare(*step);
  }
}

void TierReplay::grown(const StepResult& r) {
  const LoggedStep& step = *next();
  ++next_;
  if (!r.rule->deoptimizes()) {
    ++osr_entries_;
  } else {
    ++deopts_;
    compare(step);
  }
  here();
}

bool TierReplay::exited(const ResolvedVersion& code, Pc pc) {
  const LoggedStep* const step = next();
  const bool same = step != nullptr && step->kind == StepKind::Deopt && step->events == c_.events &&
                    step->code == &code && step->pc == pc;
  ++deopts_;
  if (same) {
    ++next_;
    compare(*step);
  } else {
    differs(fmt::format("the reference takes the exit at {}, the log does not",
                        position_name(code, pc, names_)),
            step);
  }
  return same;
}

bool TierReplay::step(const StepResult& r, const ResolvedVersion& code, Pc pc) {
  if (!difference_.empty()) return false;
  if (is_growth(*r.rule)) return grown(r), difference_.empty();
  if (is_counted_event(code, pc, r)) {
    if (const LoggedStep* step = next(); step != nullptr && step->events < c_.events) {
      differs("something in the log did not happen", step);
      return false;
    }
    if (schedule_.end.value("outcome", "") != "stop" &&
        schedule_.end.value("outcome", "") != "stuck" && c_.events > schedule_.events) {
      ended_early_ = true;
      return false;
    }
  }
  if (std::holds_alternative<resolved::Call>(code.instrs[pc]))
    for (const LoggedStep* step;
         (step = next()) != nullptr && step->kind == StepKind::Entered &&
         step->events == c_.events && step->code->function == c_.code->function;
         ++next_)
      ++entered_;
  if (takes_exit(r) && !exited(code, pc)) return false;
  here();
  return difference_.empty();
}

void TierReplay::end(const Outcome& outcome) {
  if (!difference_.empty() || ended_early_) return;
  if (const LoggedStep* step = next())
    return differs("the reference ended before what the log says happened", step);
  Json logged = schedule_.end;
  Json here = end_json(outcome, c_, names_);
  here["printed"] = output_.hex();
  if (outcome.kind == OutcomeKind::Stop) here["events"] = c_.events;
  for (const char* key : {"event", "format", "version"}) logged.erase(key);
  if (outcome.kind != OutcomeKind::Stop) logged.erase("events");
  for (const auto& [key, value] : here.items())
    if (!logged.contains(key) || logged[key] != value)
      return differs(fmt::format("the run ends otherwise: {} is {} in the log, {} in the reference",
                                 key, logged.contains(key) ? logged[key].dump() : "missing",
                                 value.dump()),
                     nullptr);
}

std::string TierReplay::report(bool json) const {
  if (json)
    return json_line({{"format", "replay-of-tiers"},
                      {"version", 2},
                      {"same", difference_.empty()},
                      {"versions", schedule_.versions.size()},
                      {"entered", entered_},
                      {"osr_entries", osr_entries_},
                      {"moved", osr_entries_}, // the names of version 1, for one release
                      {"exits", deopts_},
                      {"resumed", bailouts_},
                      {"deopts", deopts_},
                      {"bailouts", bailouts_},
                      {"states", states_},
                      {"difference", difference_}});
  const std::string counts = fmt::format(
      "versions {}, entered {}, OSR entries {}, deopts {}, bailouts {}, states compared {}",
      schedule_.versions.size(), entered_, osr_entries_, deopts_, bailouts_, states_);
  return difference_.empty()
             ? fmt::format("the reference does the same: {}\n", counts)
             : fmt::format("the reference does something else: {}({})\n", difference_, counts);
}

} // namespace sourir
