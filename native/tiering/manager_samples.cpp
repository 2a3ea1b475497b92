// TieringManager: instrumented code, and recompilation for samples.
#include "native/tiering/tiering_manager.h"

#include "native/tiering/tier_events.h"
#include "profiler/trigger.h"

#include <algorithm>
#include <utility>

namespace sourir::native {

void TieringManager::count_failed_recompilation(Unit& unit, const NativeCode& code) {
  const profiler::SampledCode* const sampled = code.sampled;
  if (sampled == nullptr || !sampled->replaces_stale) return;
  const std::uint32_t max = sampled->max_samples(context_.settings.sampling.thresholds);
  if (TieringPolicy::recompilation_failed(sampled->hits.load(), max))
    add_failed_recompilation(unit);
}

void TieringManager::add_failed_recompilation(Unit& unit) {
  ++unit.history.failed_recompilations;
  if (unit.history.failed_recompilations == profiler::Settings::kMostFailedRecompilations)
    ++statistics_.abandoned;
}

bool TieringManager::exits_stale_code(profiler::SampledCode& code) {
  const auto asks = [&](std::uint32_t what) { return (code.request.load() & what) != 0; };
  if (asks(profiler::kBailOut) || !asks(profiler::kPollRuntime)) return asks(profiler::kBailOut);
  std::unique_lock lock(mutex_);
  if (!recompilation_.is_finished(code)) {
    code.request.fetch_and(~profiler::kPollRuntime);
    recompile(lock, code);
  }
  if (recompilation_.is_finished(code) && recompilation_.origin(code) != nullptr) replace(code);
  return asks(profiler::kBailOut);
}

// The signal handler has made the entry null, so that a call leads here. Null: it has not.
profiler::SampledCode* TieringManager::restore_entry(FunctionCell& f) {
  const std::lock_guard lock(mutex_);
  const auto unit = functions_.find(&f);
  if (unit == functions_.end() || unit->second.compiled.size() != 1) return nullptr;
  const NativeCode* const code = context_.cache.code_for_calls(*unit->second.compiled.front());
  if (code == nullptr || !code->sampled || code->sampled->calls != &f.entry) return nullptr;
  f.hot_at = kNever;
  void* none = nullptr;
  f.entry.compare_exchange_strong(none, code->entry);
  return code->sampled;
}

void TieringManager::needs_instrumented(profiler::SampledCode& code) {
  if (code.is_instrumented() || std::exchange(code.asked_for_instrumented, true)) return;
  CompileRequest request;
  const std::uint64_t now = profiler::thread_time();
  const bool slow = code.is_entered_soon(now);
  double expected = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto* const origin = recompilation_.origin(code);
    if (origin == nullptr) return;
    expected = instrumentation_.expected(origin->code->size, slow);
    if (!instrumentation_.begin(expected, now)) {
      code.asked_for_instrumented = false;
      return code.wait_for_instrumented();
    }
    request = origin->request;
    context_.cache.pin(*request.code);
  }
  code.instrumented_is_slow = slow;
  if (slow && request.entry) code.keeps_types = true;
  thread_.post([this, &code, request, expected] { add_instrumented(code, request, expected); },
               CompilerThread::Priority::Low);
}

// A failure leaves the code without samples.
void TieringManager::add_instrumented(profiler::SampledCode& sampled, const CompileRequest& request,
                                      double expected) {
  CompileResult result;
  try {
    result = compiler_.compile_instrumented(request, sampled.instrumented_is_slow);
  } catch (const std::exception& e) {
    warn_of(*request.code, std::string("is not sampled: ") + e.what());
  }
  const std::lock_guard lock(mutex_);
  context_.cache.unpin(*request.code);
  count(result);
  instrumentation_.end(expected, result.processor_seconds);
  if (result.code.empty() || recompilation_.origin(sampled) == nullptr) return;
  const NativeCode& code = *context_.cache.add(std::move(result.code)).front();
  const CompileJob& job = *recompilation_.origin(sampled)->job;
  TierEvent event = event_of(TierEvent::Kind::Compiled, code, entry_of(job));
  event.instrumented = true;
  event.milliseconds = result.milliseconds;
  report(event);
  context_.sampled.add_instrumented(sampled, code);
}

// Null: the code is not installed any more.
TieringManager::Unit* TieringManager::unit_of(const SampleRecompilation::Origin& origin) {
  const CompileJob& job = *origin.job;
  if (job.kind != JobKind::Function) {
    OsrEntry& entry = *entry_of(job);
    return entry.code == origin.code ? &unit(entry) : nullptr;
  }
  FunctionUnit& at = functions_[&cell(job.version->function)];
  const ResolvedVersion* const version = origin.code->code;
  const bool installed = job.call_context
                             ? at.contexts->of(*version) != nullptr
                             : std::ranges::find(at.compiled, version) != at.compiled.end();
  const bool current = installed && context_.cache.code_for_calls(*version) == origin.code;
  return current ? &unit_of(job) : nullptr;
}

void TieringManager::recompile(std::unique_lock<std::mutex>& lock, profiler::SampledCode& stale) {
  const auto* const origin = recompilation_.origin(stale);
  Unit* const at = origin == nullptr ? nullptr : unit_of(*origin);
  const auto decision =
      at != nullptr ? policy_.on_stale_samples(history(*at)) : TieringPolicy::Samples::Ignore;
  if (decision == TieringPolicy::Samples::Wait) return;
  stale.handled.store(true);
  if (decision == TieringPolicy::Samples::Ignore) return;
  ++statistics_.stale;
  auto job = recompilation_.job(stale, job_feedback_);
  job->stale = &stale;
  at->history.compiling = true;
  begin_job(lock, std::move(job));
}

// Installs the finished recompilation in place of the stale code.
void TieringManager::replace(const profiler::SampledCode& stale) {
  const SampleRecompilation::Origin& origin = *recompilation_.origin(stale);
  const CompileJob& job = *origin.job;
  Unit& at = *unit_of(origin);
  std::vector<const NativeCode*> gone;
  if (job.kind == JobKind::Function && !job.call_context) {
    for (const ResolvedVersion* version : functions_[&cell(job.version->function)].compiled)
      if (const NativeCode* const code = context_.cache.code_for_calls(*version))
        gone.push_back(code);
  } else {
    gone.push_back(origin.code);
  }
  const bool first = at.set_aside.empty(); // only the most general code is reinstated
  for (const NativeCode* code : gone) {
    propagate_feedback(*code->code);
    TierEvent event = event_of(TierEvent::Kind::Invalidated, *code, entry_of(job));
    event.sampled = true;
    event.exit_count = at.history.exits;
    event.invalidations = at.history.invalidations;
    report(event);
    if (code->sampled != nullptr) code->sampled->request.fetch_or(profiler::kBailOut);
    first ? context_.cache.set_aside(*code) : context_.cache.invalidate(*code);
  }
  if (first) at.set_aside = gone;
  ++statistics_.recompiled;
  if (job.kind != JobKind::Continuation)
    context_.feedback.add_samples(*job.version, recompilation_.told(stale));
  auto finished = recompilation_.take(stale);
  install_code(*finished->job, std::move(finished->version), finished->code);
}

// Code of the unit is invalidated: the samples that it was made from may be of another time.
void TieringManager::forget_samples(Unit& unit, const ResolvedVersion& version) {
  context_.feedback.drop_samples(version);
  for (const ResolvedVersion* other : unit.samples_of) context_.feedback.drop_samples(*other);
  unit.samples_of.clear();
}

// Installs the recompilation of code that was invalidated meanwhile.
void TieringManager::install_finished(const NativeCode& old) {
  if (old.sampled == nullptr) return;
  if (auto finished = recompilation_.take(*old.sampled))
    install_code(*finished->job, std::move(finished->version), finished->code);
}

} // namespace sourir::native
