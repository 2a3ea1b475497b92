#include "sourir/cli/native_run.h"

#include "sourir/cli/interrupt.h"
#include "sourir/cli/output.h"
#include "sourir/cli/tier_log.h"

#include <fmt/format.h>

#include <cstdlib>

namespace sourir {

NativeRun::NativeRun(const RunOptions& options, Output& out, Names& names)
    : settings_(engine_settings(options.engine, options.limits, options.tiers, names)),
      hooks_{[this](std::string_view line) { print(line); }, &stop_requested()}, out_(out) {
  settings_.leave_compiler =
      options.tier_log.empty() && options.stats.empty() && options.report.empty() && !options.json;
  hooks_.warn = [this](std::string_view what) {
    const std::scoped_lock lock(writing_);
    say(fmt::format("sourir: warning: {}\n", what));
  };
  if (options.tier_log.empty()) return;
  const TierForm form = options.tier_log == "json"       ? TierForm::Json
                        : options.tier_log == "versions" ? TierForm::Versions
                                                         : TierForm::Text;
  hooks_.tiers = [this, form, &names](const native::TierEvent& event) {
    const std::scoped_lock lock(writing_);
    out_.flush(); // so that it stands between the right lines
    say(tier_log(event, form, names));
  };
}

void NativeRun::print(std::string_view line) {
  const std::scoped_lock lock(writing_);
  out_.write_line(line);
  if (out_.failed()) request_stop();
}

void NativeRun::flush() {
  const std::scoped_lock lock(writing_);
  out_.flush();
}

native::EngineRun NativeRun::run(const LinkedProgram& program, Input& input,
                                 const Schedule& schedule) {
  native::EngineRun run = native::run_engine(program, input, schedule, settings_, hooks_);
  if ((abandoned_ = run.compiler_left)) return run;
  abandoned_ = run.outcome.kind == OutcomeKind::Interrupted && run.outcome.depth == 0;
  if (!abandoned_) return run;
  run.outcome.message = "stopped; native code was running, its frames are not known";
  // Whoever holds it may be waiting for a reader that does not come: as we shall, then.
  static_cast<void>(writing_.try_lock_for(std::chrono::milliseconds(200)));
  return run;
}

void NativeRun::leave(int status) { std::_Exit(finish(status)); }

} // namespace sourir
