#include "sourir/cli/engine/native_run.h"

#include "sourir/cli/engine/tier_log.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"

#include <fmt/format.h>

#include <cstdlib>

namespace sourir {

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
    schedule_->begin(options_.engine, options_.leave);
    hooks_.steps = [this](const native::TierStep& step) { schedule_->step(step); };
  }
  native::EngineRun run = native::run_engine(program, input, schedule, settings_, hooks_);
  if ((abandoned_ = run.compiler_left)) return run;
  abandoned_ = run.outcome.kind == OutcomeKind::Interrupted && run.outcome.depth == 0;
  if (schedule_ && !abandoned_) schedule_->end(run);
  if (!abandoned_) return run;
  run.outcome.message = "stopped; native code was running, its frames are not known";
  // Whoever holds it may be waiting for a reader that does not come: as we shall, then.
  static_cast<void>(writing_.try_lock_for(std::chrono::milliseconds(200)));
  return run;
}

void NativeRun::leave(int status) { std::_Exit(finish(status)); }

} // namespace sourir
