#include "sourir/cli/engine/native_run.h"

#include "sourir/cli/engine/replay_records.h"

#include "native/tiering/tier_event.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/semantics/text/version_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>

namespace sourir {
namespace {

// `run --tiers`: what the tiers did while a program ran, as text or JSON lines
// (docs/schemas/tiers.schema.json), on standard error.

enum class TierForm : std::uint8_t {
  Text,     // a line for each event
  Versions, // the same, and each new version in the language
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

// The event, and as version 1 of the format called it.
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
  settings_.leave_compiler = options.tier_log.empty() && options.stats.empty() &&
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
    tell(tier_log(event, form, names_));
  };
}

void NativeRun::tell(const std::string& lines) {
  const std::scoped_lock lock(writing_);
  if (tiers_to_ != nullptr) return tiers_to_->write(lines);
  out_.flush(); // so that it stands between the right lines
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
    schedule_.emplace(program, names_, [this](const std::string& line) { tell(line); });
    schedule_->begin(options_.engine, options_.deopt);
    hooks_.steps = [this](const native::TierStep& step) { schedule_->step(record_of(step)); };
  }
  native::EngineRun run = native::run_engine(program, input, schedule, settings_, hooks_);
  if ((abandoned_ = run.compiler_left)) return run;
  abandoned_ = run.outcome.kind == OutcomeKind::Interrupted && run.outcome.depth == 0;
  if (schedule_ && !abandoned_) schedule_->end(run.outcome, run.last, run.clock);
  if (!abandoned_) return run;
  run.outcome.message = "stopped; native code was running, its frames are not known";
  // Whoever holds it may be waiting for a reader that does not come: as we shall, then.
  static_cast<void>(writing_.try_lock_for(std::chrono::milliseconds(200)));
  return run;
}

void NativeRun::leave(int status) { std::_Exit(finish(status)); }

} // namespace sourir
