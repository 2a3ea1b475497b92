#include "sourir/cli/engine/native_run.h"

#include "native/tiering/native_settings.h"
#include "native/tiering/program_part.h"
#include "sourir/bisim/added_version_check.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/cli/engine/replay_records.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace sourir {
namespace {

// `run --tiers`: events of the tiers as text or JSON lines (docs/schemas/tiers.schema.json).
enum class TierForm : std::uint8_t {
  Text,     // a line for each event
  Versions, // the same, and the text of each new version
  Json,
};

using native::TierEvent;

std::string tier_text(const TierEvent& e, const Names& names) {
  const std::string version = version_name(*e.code, names);
  switch (e.kind) {
  case TierEvent::Kind::Compiled:
    return fmt::format("compiled     {}{}{}  {} bytes, {:.1f} ms{}\n", version,
                       e.loop    ? fmt::format(", OSR entry at the loop at +{}", e.pc)
                       : e.exits ? fmt::format(", continuation at +{}", e.pc)
                                 : "",
                       e.added != nullptr ? "  (an optimized version)" : "", e.bytes,
                       e.milliseconds, e.sampled ? ", because of samples" : "");
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
  return fmt::format("deopt        {}  to {}{}\n", place,
                     fmt::join(exit_targets(*e.exit, names), " <- "),
                     e.native ? ", in native code" : "");
}

// The name of the event, and its name in version 1 of the format.
std::pair<const char*, const char*> event_names(const TierEvent& e) {
  switch (e.kind) {
  case TierEvent::Kind::Compiled: return {"compiled", "compiled"};
  case TierEvent::Kind::Invalidated: return {"invalidated", "retired"};
  case TierEvent::Kind::Reinstated: return {"reinstated", "returned"};
  case TierEvent::Kind::Deoptimized: break;
  }
  return {e.exit != nullptr ? "deopt" : e.native ? "tier-up" : "bailout", "left"};
}

std::string tier_json(const TierEvent& e, const Names& names) {
  const auto [event, former] = event_names(e);
  nlohmann::ordered_json out{{"format", "tiers"},
                             {"version", 2},
                             {"of", version_name(*e.code, names)},
                             {"event", event},
                             {"former_event", former}};
  if (e.kind != TierEvent::Kind::Invalidated) out["at"] = e.pc;
  if (e.kind == TierEvent::Kind::Compiled) {
    out["loop"] = e.loop;
    out["exits"] = e.exits;
    out["bytes"] = e.bytes;
    out["milliseconds"] = e.milliseconds;
    if (e.added != nullptr) out["text"] = version_text(*e.code, names);
  }
  if (e.sampled && e.kind != TierEvent::Kind::Reinstated) out["sampled"] = true;
  if (e.kind == TierEvent::Kind::Deoptimized) {
    out["to"] = e.exit != nullptr ? exit_targets(*e.exit, names) : std::vector<std::string>();
    out["native"] = e.native;
  }
  return out.dump() + "\n";
}

// With the end of its last line.
std::string tier_log(const TierEvent& event, TierForm form, const Names& names) {
  if (form == TierForm::Json) return tier_json(event, names);
  std::string out = tier_text(event, names);
  if (form == TierForm::Versions && event.added != nullptr) out += version_text(*event.code, names);
  return out;
}

} // namespace

NativeRun::NativeRun(const RunOptions& options, Output& out, Names& names)
    : settings_(engine_settings(options.engine, options.limits, options.tiers, names)),
      hooks_{[this](std::string_view line) { print(line); }, &stop_requested()}, out_(out),
      names_(names), options_(options) {
  settings_.abandon_compiler = options.tier_log.empty() && options.stats.empty() &&
                               options.report.empty() && !options.json && !options.tiers.verify &&
                               options.tiers.profile.trigger.empty();
  hooks_.warn = [this](std::string_view what) {
    const std::scoped_lock lock(writing_);
    say(fmt::format("sourir: warning: {}\n", what));
  };
  if (options.tiers.verify) settings_.verifier = verifier_.hook();
  if (!options.tier_log.empty() && options.tier_log != "schedule") listen();
}

void NativeRun::listen() {
  const TierForm form = options_.tier_log == "json"       ? TierForm::Json
                        : options_.tier_log == "versions" ? TierForm::Versions
                                                          : TierForm::Text;
  hooks_.tiers = [this, form](const native::TierEvent& event) {
    write_log(tier_log(event, form, names_));
  };
}

void NativeRun::write_log(const std::string& lines) {
  const std::scoped_lock lock(writing_);
  if (tiers_to_ != nullptr) return tiers_to_->write(lines);
  out_.flush(); // keeps the order of lines on a terminal
  say(lines);
}

std::string NativeRun::open_perf_map() {
  hooks_.made = [this](const native::MadeCode& made) {
    const std::scoped_lock lock(writing_);
    perf_map_.add(made, names_);
  };
  return perf_map_.open();
}

void NativeRun::print(std::string_view line) {
  const std::scoped_lock lock(writing_);
  out_.write_line(line);
  if (schedule_) schedule_->printed(line);
  if (out_.failed()) request_stop();
}

void NativeRun::flush() {
  const std::scoped_lock lock(writing_);
  out_.flush();
}

native::EngineRun NativeRun::run(const LinkedProgram& program, Input& input,
                                 const Schedule& schedule) {
  if (options_.tier_log == "schedule") {
    schedule_.emplace(program, names_, [this](const std::string& line) { write_log(line); });
    schedule_->begin(options_.engine, options_.deopt);
    hooks_.steps = [this](const native::TierStep& step) { schedule_->step(record_of(step)); };
  }
  native::EngineRun run = native::run_engine(program, input, schedule, settings_, hooks_);
  if ((abandoned_ = run.compiler_abandoned)) return run;
  abandoned_ = run.outcome.kind == OutcomeKind::Interrupted && run.outcome.depth == 0;
  if (schedule_ && !abandoned_) schedule_->end(run.outcome, run.last, run.events);
  if (!abandoned_) return run;
  run.outcome.message = "stopped; native code was running, its frames are not known";
  // With a limit: the thread that holds the lock may be blocked in a write to a full pipe.
  static_cast<void>(writing_.try_lock_for(std::chrono::milliseconds(200)));
  return run;
}

void NativeRun::exit_abandoned(int status) { std::_Exit(finish(status)); }

std::string PerfMap::open() {
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  auto opened = open_to_write(path);
  if (const auto* problem = std::get_if<FileProblem>(&opened)) return problem->message;
  file_ = std::get<OpenFile>(std::move(opened));
  out_.emplace(file_.fd(), "'" + path + "'");
  return {};
}

void PerfMap::add(const native::MadeCode& made, const Names& names) {
  for (std::size_t i = 0; i < made.codes.size(); ++i) {
    const native::NativeCode& code = *made.codes[i];
    const std::string at = made.requests[i].entry ? "" : fmt::format("@{}", code.start);
    out_->write_line(
        fmt::format("{:x} {:x} {}{}", code.begin, code.size, version_name(*code.code, names), at));
  }
  out_->flush();
}

namespace {

using native::Verified;

std::string made_for(const native::VersionToVerify& v) {
  const std::string name = version_name(v.added.code(), v.names);
  if (!v.added.outlined_from) return fmt::format("{}, made for calls", name);
  return fmt::format(
      "{}, made for the loop at {}", name,
      position_name(*v.added.outlined_from->from, v.added.outlined_from->head, v.names));
}

} // namespace

// Small limits: the version, and perhaps the program, waits for the check.
TierVerifier::TierVerifier(bool brief) {
  options_.fuel = brief ? 2'000 : 20'000;
  options_.all_fuel = 20 * options_.fuel;
  options_.depth = 10'000;
  options_.schedules = 6;
  options_.mapped_exits = 6;
  options_.all_states = 64;
  options_.input_name = "the program";
  options_.output_name = "the new version";
  if (brief)
    limits_ = {.sampled_steps = {5'000, 20'000},
               .varied_states = 24,
               .input_steps = 100'000,
               .event_steps = 20'000};
}

native::Verifier TierVerifier::hook() {
  return [this](const native::VersionToVerify& v) { return check(v); };
}

Verified TierVerifier::differs(const native::VersionToVerify& v, const std::string& how) {
  // Only the first report is shown in full; the others may have the same cause.
  const std::string shown = report_.empty() ? how : how.substr(0, how.find('\n'));
  report_ += fmt::format("error: {} is wrong, and is not used:\n{}{}", made_for(v), shown,
                         shown.ends_with('\n') ? "" : "\n");
  return Verified::Differs;
}

Verified TierVerifier::check(const native::VersionToVerify& v) {
  // The whole program: the code may call functions that the optimizer did not get.
  const Program& running = v.running.source();
  const Program before =
      v.added.source_program ? native::with_part(running, *v.added.source_program) : running;
  const Program after = native::with_part(before, *v.added.program);
  if (const auto problems = structural_problems(before, after, v.added.map, v.names);
      !problems.empty())
    return differs(v, fmt::format("  {}\n", problems.front()));
  std::vector<CallState> states;
  for (const native::EntryState& state : v.states) states.push_back({state.arguments, state.heap});
  const AddedVersionVerdict verdict = check_added_version(
      {before, after, v.added.map, v.added.code().function, v.added.code().version, states},
      options_, v.names, limits_);
  tried_.add(verdict.tried);
  if (verdict.agreement == Agreement::Equivalent) return Verified::Holds;
  if (verdict.agreement == Agreement::Different) return differs(v, verdict.report);
  undecided_ += fmt::format("undecided: {} is not used: {}\n", made_for(v), verdict.report);
  return Verified::Undecided;
}

} // namespace sourir
