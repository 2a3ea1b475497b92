#include "sourir/cli/native_run.h"

#include "native/runtime/compiler_loader.h"
#include "sourir/cli/interrupt.h"
#include "sourir/cli/tier_optimizer.h"

#include <cstdlib>

namespace sourir {

namespace {

#ifdef SOURIR_HAVE_LLVM
constexpr bool kNativeCode = true;
#else
constexpr bool kNativeCode = false;
#endif

} // namespace

native::NativeSettings engine_settings(const std::string& engine, const Limits& limits,
                                       Names& names) {
  using enum native::NativeSettings::Engine;
  native::NativeSettings s;
  s.engine = engine == "baseline" ? Baseline : engine == "native" ? Native : Auto;
  s.limits = limits;
  s.names = &names;
  if (kNativeCode && s.engine != Baseline) s.compiler = native::compiler_from_library();
  if (s.engine == Auto) s.optimizer = tier_optimizer(std::get<Pipeline>(parse_pipeline("O2")));
  return s;
}

std::string engine_problem(const std::string& engine) {
  if (engine != "native" || kNativeCode) return {};
  return "this build makes no native code (SOURIR_LLVM was off): there are --engine=baseline and "
         "--engine=reference";
}

NativeRun::NativeRun(const RunOptions& options, Names& names, Output& out)
    : settings_(engine_settings(options.engine, options.limits, names)),
      hooks_{[this](std::string_view line) { print(line); }, &stop_requested()}, out_(out) {}

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
  abandoned_ = run.outcome.kind == OutcomeKind::Interrupted && run.outcome.depth == 0;
  if (!abandoned_) return run;
  run.outcome.message = "stopped; native code was running, its frames are not known";
  // Whoever holds it may be waiting for a reader that does not come: as we shall, then.
  static_cast<void>(writing_.try_lock_for(std::chrono::milliseconds(200)));
  return run;
}

void NativeRun::leave(int status) { std::_Exit(finish(status)); }

} // namespace sourir
