#include "native/tiering/tiering_manager.h"

#include "native/tiering/tier_events.h"
#include "sourir/semantics/resolved.h"

#include <algorithm>
#include <utility>

namespace sourir::native {

namespace {

using Engine = NativeSettings::Engine;

bool has_native_convention(const ResolvedVersion& version) {
  return version.parameters <= kMostNativeParameters;
}

} // namespace

TieringManager::TieringManager(TieringContext context)
    : context_(std::move(context)),
      call_entries_(context_.cells, context_.cache, context_.dispatches),
      policy_(context_.settings.tiers), context_policy_(context_.settings.contexts),
      job_feedback_(context_.program, context_.feedback, context_.cache, context_.cells,
                    context_.settings.speculation),
      osr_jobs_(context_.settings, policy_, job_feedback_, optimizes(), context_.state_of),
      compiler_({.program = context_.program,
                 .settings = context_.settings,
                 .names = context_.names,
                 .cache = context_.cache,
                 .hooks = context_.hooks,
                 .options = context_.compile_options,
                 .continuations = has_continuations(),
                 .make_compiler = context_.make_compiler,
                 .sampled_code = sampled_code()}),
      deoptless_(context_.program, context_.cache, policy_),
      recompilation_(context_.program, context_.sampled, context_.settings.sampling.thresholds),
      thread_(context_.settings.background) {}

TieringManager::~TieringManager() = default;

std::function<profiler::SampledCode*(const std::string&)> TieringManager::sampled_code() {
  if (!context_.settings.sampling.on) return {};
  return [this](const std::string& version) {
    const std::lock_guard lock(mutex_);
    return &context_.sampled.make(version);
  };
}

// --- The start of a program ---

void TieringManager::begin() {
  const NativeSettings& settings = context_.settings;
  if (settings.engine == Engine::Baseline || !settings.compiler) return;
  if (settings.engine == Engine::Native) return begin_native();
  for (const Function& function : context_.program.source().functions) {
    FunctionCell& f = cell(function.name);
    f.hot_at = policy_.calls_until_first_sample();
    if (!makes_contexts(f)) continue;
    f.dispatch = std::make_unique<DispatchTable>();
    f.dispatch->in_native_code = f.dispatch->by_tiers = true;
    f.dispatch->until_report = calls_until_report();
  }
}

void TieringManager::begin_native() {
  try {
    compile_all();
  } catch (const NoCompiler&) {
    throw;
  } catch (const std::exception& e) {
    warn(std::string("all versions stay in the baseline: ") + e.what());
  }
}

void TieringManager::compile_all() {
  std::vector<CompileRequest> requests;
  for (const Function& f : context_.program.source().functions)
    for (const ResolvedVersion* code : cell(f.name).fun->versions)
      if (!code->source->cont && may_be_compiled(*code))
        requests.push_back({.code = code, .calls_itself = call_entries_.all_calls_enter(*code)});
  CompileResult result = compiler_.compile_all(
      std::move(requests), call_entries_.all_dispatched(context_.program.source()));
  const std::lock_guard lock(mutex_);
  add_results(result);
  const auto made = context_.cache.add(std::move(result.code));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const NativeCode& code = *made[i];
    if (!result.requests[i].entry) {
      install_continuation(code);
      continue;
    }
    call_entries_.install(code);
    report(event_of(TierEvent::Kind::Compiled, code, nullptr));
  }
}

// Reports why not.
bool TieringManager::may_be_compiled(const ResolvedVersion& version) {
  TierEvent refused{.kind = TierEvent::Kind::NotCompiled, .code = &version};
  if (!has_native_convention(version))
    refused.refusal = Refusal::Parameters;
  else if (is_too_large(version))
    refused.refusal = Refusal::TooLarge, refused.size = compiled_size(version);
  else
    return true;
  report(refused);
  return false;
}

bool TieringManager::optimizes() const {
  return context_.settings.optimizer && !context_.dispatches;
}

bool TieringManager::has_continuations() const { return context_.settings.continuations; }

bool TieringManager::is_quiet() {
  const NativeSettings& settings = context_.settings;
  if (!settings.background) return false; // runs are reproducible
  quiet_ = quiet_ && std::chrono::steady_clock::now() - began_ < settings.quiet_start;
  return quiet_;
}

const CodeHistory& TieringManager::history(Unit& unit) const {
  unit.history.set_aside = !unit.set_aside.empty();
  return unit.history;
}

// --- Events of the program ---

void* TieringManager::at_call(FunctionCell& f, const Value* arguments) {
  if (profiler::SampledCode* const hit = restore_entry(f)) {
    needs_instrumented(*hit);
    return nullptr;
  }
  std::unique_lock lock(mutex_);
  FunctionUnit& unit = functions_[&f];
  if (unit.contexts && unit.contexts->rest) return learn_rest(lock, f, unit, arguments);
  add_sample(lock, f, unit, arguments);
  return nullptr;
}

void TieringManager::add_sample(std::unique_lock<std::mutex>& lock, FunctionCell& f,
                                FunctionUnit& unit, const Value* arguments) {
  f.hot_at = kNever;
  if (unit.history.compiling || f.entry.load(std::memory_order_relaxed) != nullptr) return;
  const bool verifies = osr_jobs_.verifies();
  if (verifies &&
      !unit.states.add(osr_jobs_.state_at(*f.fun->dispatch.front(), 0, arguments, f.arity), f))
    return;
  context_.feedback.add_arguments(f.name, {arguments, f.arity});
  ++unit.history.argument_samples;
  add_call(f, unit, arguments);
  const TieringPolicy::Call decision = policy_.at_call(history(unit), is_quiet(), f.calls);
  if (!decision.compile) {
    f.hot_at = f.calls + (verifies ? 1 : decision.next);
    return unit.states.feedback_at(f.calls + decision.next);
  }
  if (unit.contexts && context_policy_.differ(unit.contexts->history()))
    return begin_contexts(lock, f, unit);
  auto job = function_job(f, unit);
  if (job->versions.empty())
    return report_refused(*job, {.code = job->version, .refusal = Refusal::Parameters});
  job->states = unit.states.take();
  unit.history.compiling = true;
  begin_job(lock, std::move(job));
}

OsrCode TieringManager::at_loop_header(const ResolvedVersion& version, Pc head,
                                       std::int64_t iterations, const Value* slots) {
  const NativeSettings& settings = context_.settings;
  if (settings.engine != Engine::Auto || !settings.compiler || !settings.osr_in) return {};
  std::unique_lock lock(mutex_);
  OsrEntry& entry = context_.cache.osr_entry(version, head);
  Unit& at = unit(entry);
  at.history.iterations += static_cast<std::uint64_t>(iterations);
  at.history.installed = entry.code != nullptr;
  if (entry.code != nullptr && entry.code == std::exchange(forced_out_, nullptr)) return {};
  return enter(lock, entry, policy_.at_loop_header(history(at), is_quiet()), JobKind::Loop, slots);
}

OsrCode TieringManager::at_continuation(const ResolvedVersion& version, Pc pc, const Value* slots) {
  std::unique_lock lock(mutex_);
  return continuation(lock, version, pc, slots, nullptr);
}

OsrCode TieringManager::continuation(std::unique_lock<std::mutex>& lock,
                                     const ResolvedVersion& version, Pc pc, const Value* slots,
                                     const NativeCode* exited) {
  const NativeSettings& settings = context_.settings;
  if (settings.engine == Engine::Baseline || !settings.compiler || !has_continuations()) return {};
  OsrEntry& entry = context_.cache.osr_entry(version, pc);
  Unit& at = unit(entry);
  ++at.history.arrivals;
  at.history.installed = entry.code != nullptr;
  // Code that exited to its own entry would exit again.
  if (entry.code != nullptr && entry.code == exited) return {};
  return enter(lock, entry, policy_.at_exit_target(history(at)), JobKind::Continuation, slots);
}

OsrCode TieringManager::enter(std::unique_lock<std::mutex>& lock, OsrEntry& entry,
                              TieringPolicy::Entry decision, JobKind kind, const Value* slots) {
  if (decision == TieringPolicy::Entry::Wait) return {};
  if (decision == TieringPolicy::Entry::Compile) {
    Unit& at = unit(entry);
    at.history.compiling = true;
    begin_job(lock, osr_jobs_.at_place(kind, entry, at.history, slots));
  }
  return code_of(entry);
}

OsrCode TieringManager::deoptimized(const DeoptEvent& e, bool forced) {
  if (e.reason == DeoptReason::Sample) return {};
  const bool counts = counts_exits() && (!forced || context_.settings.tiers.forced_exits_count);
  if (!counts && !forced && !context_.hooks.tiers && e.target != nullptr && *e.target != nullptr) {
    OsrEntry& entry = **e.target;
    const NativeCode* const ready = entry.ready.load(std::memory_order_acquire);
    if (ready != nullptr && ready != e.exited) return code_of(entry);
  }
  std::unique_lock lock(mutex_);
  if (e.reason == DeoptReason::TierUp) {
    const OsrCode tier_up = code_of(tier_up_entry(e));
    report(deoptimized_event(e, true, nullptr));
    return tier_up.code == e.exited ? OsrCode() : tier_up;
  }
  OsrCode on;
  if (e.reason == DeoptReason::Exit)
    on = continuation(lock, *e.exit->frame.code, e.exit->frame.pc, e.slots, e.exited);
  // An optimized version may begin with an exit to where it was entered, which is forced again: the
  // baseline makes progress first.
  if (forced) forced_out_ = e.exited;
  if (forced && on.code != nullptr && context_.cache.version_of(*on.code->code) != nullptr) on = {};
  if (on.code != nullptr && e.target != nullptr) *e.target = on.entry;
  report(deoptimized_event(e, on.code != nullptr, nullptr));
  if (counts) count_exit(e);
  return on;
}

// The loop whose header an optimized version has come to is one of the version that it is of.
OsrEntry& TieringManager::tier_up_entry(const DeoptEvent& e) {
  OptimizedVersion* const optimized = context_.cache.version_of(*e.version);
  const resolved::Exit* const state =
      optimized != nullptr ? optimized->deopt_map(e.pc, context_.program) : nullptr;
  return state != nullptr ? context_.cache.osr_entry(*state->frame.code, state->frame.pc)
                          : context_.cache.osr_entry(*e.version, e.pc);
}

// --- Exits that continue by their context ---

const DeoptTarget* TieringManager::dispatch_target(const resolved::Exit& exit) {
  const bool on = context_.settings.tiers.deoptless && counts_exits() && optimizes() &&
                  has_continuations() && context_.settings.compiler;
  if (!on) return nullptr;
  const std::lock_guard lock(mutex_);
  return deoptless_.target(exit);
}

OsrCode TieringManager::dispatch(const DeoptEvent& e, ExitDispatch& exit, DeoptCause cause,
                                 const Value* values) {
  std::unique_lock lock(mutex_);
  const Deoptless::Decision d = deoptless_.at_exit(context_of(*exit.target, cause, values));
  if (d.compile != nullptr) begin_job(lock, osr_jobs_.at_exit(*d.compile, e, exit, values, d.adds));
  const bool at_once = d.compile != nullptr && d.compile->entry->code != nullptr;
  exit.last = at_once ? d.compile : d.enter;
  if (exit.last == nullptr) return {};
  report(deoptimized_event(e, true, &exit.last->context));
  OsrCode on = code_of(*exit.last->entry);
  on.context = &exit.last->context;
  return on;
}

void TieringManager::count_taken_over(const DeoptEvent& e, std::uint64_t exits) {
  const std::lock_guard lock(mutex_);
  Unit* const at = exited_unit(e);
  if (at == nullptr) return;
  at->history.taken_over += exits;
  if (policy_.too_many_taken_over(at->history)) invalidate_exited(e);
}

namespace {

// The instruction before `pc`, or one from which execution only falls through to `pc`: exits may
// resume after what does nothing.
Pc last_with_effect(const ResolvedVersion& version, Pc pc) {
  const auto does_nothing = [&](Pc at) {
    const resolved::Instr& i = version.instrs[at];
    const auto* const jump = std::get_if<resolved::Goto>(&i);
    return std::holds_alternative<resolved::Drop>(i) || (jump != nullptr && jump->target == at + 1);
  };
  for (--pc; pc > 0 && does_nothing(pc);) --pc;
  return pc;
}

} // namespace

void TieringManager::resumed(const ResolvedVersion& version, Pc pc, const Value* slots) {
  if (!counts_exits()) return;
  if (const std::optional<Slot> a = accessed_array(version.instrs[pc]);
      a && slots[*a].is(Tag::Array))
    context_.feedback.add_storage(version, pc, *array_of(slots[*a]));
  if (pc == 0) {
    const std::lock_guard lock(mutex_);
    FunctionCell& f = cell(version.function);
    const auto unit = functions_.find(&f);
    if (unit == functions_.end()) return;
    context_.feedback.add_arguments(version.function, {slots, version.parameters});
    add_call(f, unit->second, slots);
    return;
  }
  const Pc last = last_with_effect(version, pc);
  if (const std::optional<Slot> x = bound_by(version.instrs[last]))
    if (!slots[*x].is(Tag::Unbound)) context_.feedback.add_result(version, last, slots[*x].tag());
}

// --- Jobs ---

// The job owns copies for the compiler thread.
std::shared_ptr<CompileJob> TieringManager::function_job(const FunctionCell& f,
                                                         const FunctionUnit& unit) const {
  auto job = std::make_shared<CompileJob>();
  job->kind = JobKind::Function;
  job->counted = f.calls - unit.calls_before;
  job->invalidations = unit.history.invalidations;
  job->version = f.fun->dispatch.front();
  job->calls_itself = call_entries_.one_version(f);
  job->speculates = policy_.speculates(unit.history);
  job->optimizes = optimizes() && job->calls_itself;
  if (f.dispatch && !f.dispatch->by_tiers && f.dispatch->dispatcher == nullptr)
    job->dispatched = call_entries_.dispatched(f.name);
  for (const ResolvedVersion* version : f.fun->dispatch)
    if (has_native_convention(*version)) job->versions.push_back(version);
  if (!job->speculates || job->versions.empty()) return job;
  add_feedback(*job, context_.feedback.parameters(f.name));
  return job;
}

// parameters: the types of the arguments that the job may speculate on.
void TieringManager::add_feedback(CompileJob& job, std::vector<TypeSet> parameters) const {
  std::vector<SitePlace> entered;
  for (const ResolvedVersion* version : job.versions) {
    job_feedback_.add(job.feedback, *version, JobFeedback::kCalleeLevels);
    entered.push_back({version, 0});
  }
  job_feedback_.add_functions(job.feedback, job.when);
  job.feedback.parameters = std::move(parameters);
  job.feedback.parameters.resize(job.version->parameters);
  job_feedback_.add_samples(job.feedback, entered);
  job_feedback_.restrict_to_options(job.feedback);
  if (job.optimizes) job.predicates = job_feedback_.predicates(*job.version, job.feedback, 0);
  for (const TypeSet types : job.feedback.parameters) job.entry_types.push_back(only_tag(types));
}

bool TieringManager::is_too_large(const ResolvedVersion& version) {
  const std::size_t size = compiled_size(version);
  if (size <= context_.settings.tiers.most_instructions) return false;
  if (!too_large_.insert(&version).second) return true;
  warn_of(version, "has " + std::to_string(size) +
                       " instructions and stays in the baseline (--tier size=" +
                       std::to_string(context_.settings.tiers.most_instructions) + ")");
  return true;
}

// Engine::Native, and settings without a background thread: runs the job before it returns.
void TieringManager::begin_job(std::unique_lock<std::mutex>& lock,
                               std::shared_ptr<CompileJob> job) {
  for (const ResolvedVersion* version : job->versions)
    if (is_too_large(*version)) // as after a failed job
      return report_refused(
          *job, {.code = version, .refusal = Refusal::TooLarge, .size = compiled_size(*version)});
  context_.cache.pin(*job->version);
  lock.unlock();
  if (context_.settings.engine == Engine::Native)
    run(job);
  else
    thread_.post([this, job = std::move(job)] { run(job); });
  lock.lock();
}

// After a failed job the history stays `compiling`, so the code stays in the baseline. NoCompiler
// is reported once.
void TieringManager::run(const std::shared_ptr<CompileJob>& job) {
  if (job->optimizes) { // the calls may have come to differ while it waited
    const std::lock_guard lock(mutex_);
    job->predicates.dispatched = dispatched_calls();
  }
  try {
    install(job, compiler_.run(*job));
  } catch (const NoCompiler& e) {
    if (!std::exchange(without_compiler_, true)) warn(e.what());
    report_refused(*job, {.refusal = Refusal::NoCompiler, .detail = e.what()});
  } catch (const std::exception& e) {
    warn_of(*job->versions.front(), std::string("stays in the baseline: ") + e.what());
    report_refused(*job, {.refusal = Refusal::Failed, .detail = e.what()});
  }
}

void TieringManager::add_results(CompileResult& result) {
  count(result);
  for (auto& [f, code] : result.dispatchers) context_.cache.add_dispatcher(*f, std::move(code));
}

void TieringManager::count(const CompileResult& result) {
  statistics_.compile_seconds += result.seconds;
  std::uint64_t bytes = 0;
  for (const auto& code : result.code) bytes += code->size;
  instrumentation_.add_compiled(bytes, result.processor_seconds);
  if (!result.verified) return;
  ++(*result.verified == Verified::Holds     ? statistics_.verified
     : *result.verified == Verified::Differs ? statistics_.differing
                                             : statistics_.undecided);
}

void TieringManager::install(const std::shared_ptr<CompileJob>& job, CompileResult result) {
  const std::lock_guard lock(mutex_);
  add_results(result);
  const auto all = context_.cache.add(std::move(result.code));
  const auto made = std::span(all).first(result.of_job);
  OsrEntry* const entry = entry_of(*job);
  Unit& at = unit_of(*job);
  if (result.refused)
    report_refused(*job, {.refusal = *result.refused,
                          .refused_version = &result.refused_version->code(),
                          .size = compiled_size(result.refused_version->code())});
  if (job->call_context && !result.version) return refuse_version(*job);
  // Without an optimized version the code is the same again, and so would be what is sampled.
  if (job->stale != nullptr && !result.version) add_failed_recompilation(at);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i]->sampled == nullptr) continue;
    const std::lock_guard names(context_.names.mutex);
    recompilation_.begin(job, result.version.get(), *made[i], result.requests[i],
                         at.history.failed_recompilations);
  }
  for (const NativeCode* code : made)
    report({.code = code->code,
            .pc = code->start,
            .entry = entry,
            .loop = job->kind == JobKind::Loop,
            .exits = job->kind == JobKind::Continuation,
            .sampled = job->stale != nullptr,
            .added = result.version ? result.version->program.get() : nullptr,
            .job = job.get(),
            .context = job->context,
            .bytes = code->size,
            .milliseconds = result.milliseconds});
  if (job->context != nullptr && !made.empty()) ++statistics_.continuations;
  if (result.version && context_.hooks.optimized) {
    const std::lock_guard names(context_.names.mutex);
    context_.hooks.optimized(*job);
  }
  const auto* const stale = job->stale != nullptr ? recompilation_.origin(*job->stale) : nullptr;
  if (stale != nullptr &&
      unit_of(*stale) != nullptr) { // installed by replace(), on the thread of the program
    recompilation_.keep(*job->stale, {job, std::move(result.version), {made.begin(), made.end()}});
    job->stale->request.fetch_or(profiler::kPollRuntime);
  } else {
    install_code(*job, std::move(result.version), made);
  }
  for (const NativeCode* code : std::span(all).subspan(result.of_job)) {
    install_continuation(*code);
    const OsrEntry& at_exits = context_.cache.osr_entry(*code->code, code->start);
    TierEvent event = event_of(TierEvent::Kind::Compiled, *code, &at_exits);
    event.exits = true;
    report(event);
  }
}

namespace {

std::vector<const ResolvedVersion*> samples_of(const CompileJob& job) {
  std::vector<const ResolvedVersion*> all;
  for (const auto& [version, site] : job.feedback.sampled)
    if (std::ranges::find(all, version) == all.end()) all.push_back(version);
  return all;
}

} // namespace

void TieringManager::install_code(const CompileJob& job, std::unique_ptr<OptimizedVersion> version,
                                  std::span<const NativeCode* const> made) {
  CodeCache& cache = context_.cache;
  cache.unpin(*job.version);
  const OptimizedVersion* const added = version ? &cache.add(std::move(version)) : nullptr;
  if (job.kind != JobKind::Function) {
    OsrEntry& entry = *entry_of(job);
    Unit& at = unit(entry);
    at.history.compiling = false;
    at.history.exits = at.exits_of_code = 0;
    at.samples_of = samples_of(job);
    if (entry.code == nullptr && !made.empty())
      cache.install(entry, *made.front(), added != nullptr ? &added->entered_with : nullptr);
    return deoptless_.compiled(entry, entry.code != nullptr);
  }
  FunctionCell& f = cell(job.version->function);
  FunctionUnit& at = functions_[&f];
  Unit& counts = unit_of(job);
  counts.history.compiling = false;
  counts.history.exits = counts.exits_of_code = 0;
  counts.samples_of = samples_of(job);
  if (job.entry != nullptr) call_entries_.install(*made.front(), f, *job.entry);
  if (job.call_context) {
    FunctionContexts::Version& one = static_cast<FunctionContexts::Version&>(counts);
    one.compiled = made.front()->code;
    one.entry = job.entry;
    return;
  }
  at.compiled.clear();
  if (job.entry != nullptr) return at.compiled.push_back(made.front()->code);
  for (const NativeCode* code : made) {
    call_entries_.install(*code);
    if (call_entries_.one_version(f) && code->sampled != nullptr) {
      code->sampled->asked_at = &f.hot_at;
      code->sampled->calls.store(&f.entry, std::memory_order_release);
    }
    at.compiled.push_back(code->code);
  }
}

void TieringManager::install_continuation(const NativeCode& code) {
  OsrEntry& entry = context_.cache.osr_entry(*code.code, code.start);
  if (entry.code == nullptr) context_.cache.install(entry, code, nullptr);
}

// --- Exits and invalidation ---

TieringManager::Unit* TieringManager::exited_unit(const DeoptEvent& e) {
  if (e.exited != nullptr)
    return e.exited_entry->code == e.exited ? &unit(*e.exited_entry) : nullptr;
  const auto at = functions_.find(&cell(e.version->function));
  if (at != functions_.end() && at->second.contexts && at->second.contexts->begun())
    return at->second.contexts->of(*e.version);
  const bool entered =
      at != functions_.end() &&
      std::ranges::find(at->second.compiled, e.version) != at->second.compiled.end();
  return entered ? &at->second : nullptr;
}

void TieringManager::invalidate_exited(const DeoptEvent& e) {
  if (e.exited != nullptr) return invalidate(*e.exited_entry, unit(*e.exited_entry));
  FunctionCell& f = cell(e.version->function);
  const auto at = functions_.find(&f);
  if (at != functions_.end() && at->second.contexts && at->second.contexts->begun())
    return invalidate(*at->second.contexts->of(*e.version));
  invalidate(f, at->second);
}

void TieringManager::count_exit(const DeoptEvent& e) {
  Unit* const at = exited_unit(e);
  if (at != nullptr && invalidates(*at, e.reason == DeoptReason::Exit)) invalidate_exited(e);
}

bool TieringManager::invalidates(Unit& unit, bool of_assume) {
  if (!policy_.speculates(unit.history)) return false;
  ++unit.history.exits;
  statistics_.most_exits = std::max(statistics_.most_exits, ++unit.exits_of_code);
  return policy_.invalidates(history(unit), of_assume);
}

void TieringManager::invalidate(OsrEntry& entry, Unit& unit) {
  const NativeCode& old = *entry.code;
  const ResolvedVersion& code = *old.code;
  propagate_feedback(code);
  forget_samples(unit, *entry.version);
  const TieringPolicy::Invalidation decision = policy_.on_invalidation(history(unit));
  report(invalidated_event(code, &entry, unit.history, decision));
  if (decision.reset_feedback) {
    const OptimizedVersion* const version = context_.cache.version_of(code);
    context_.feedback.reset(
        version != nullptr && version->outlined_from ? *version->outlined_from->from : code);
  }
  if (!decision.reinstate) {
    ++unit.history.invalidations;
    unit.history.iterations = 0;
    discard_set_aside(unit);
  }
  unit.history.exits = unit.history.arrivals = unit.history.taken_over = 0;
  count_failed_recompilation(unit, old);
  context_.cache.invalidate(old);
  deoptless_.remove(entry);
  ++statistics_.invalidated;
  install_finished(old);
  if (decision.reinstate) reinstate(unit, &entry);
}

void TieringManager::invalidate(FunctionCell& f, FunctionUnit& unit) {
  const TieringPolicy::Invalidation decision = policy_.on_invalidation(history(unit));
  const CodeHistory before = unit.history;
  forget_samples(unit, *f.fun->dispatch.front());
  if (!decision.reinstate) {
    ++unit.history.invalidations;
    discard_set_aside(unit);
  }
  unit.history.exits = unit.history.taken_over = 0;
  unit.calls_before = f.calls;
  std::vector<const NativeCode*> old;
  for (const ResolvedVersion* version : unit.compiled) {
    propagate_feedback(*version);
    report(invalidated_event(*version, nullptr, before, decision));
    const NativeCode* const code = context_.cache.code_for_calls(*version);
    if (code == nullptr) continue;
    count_failed_recompilation(unit, *code);
    old.push_back(code);
    context_.cache.invalidate(*code);
  }
  if (decision.reset_feedback) {
    context_.feedback.reset(*f.fun->dispatch.front());
    context_.feedback.reset_arguments(f.name);
    unit.contexts = nullptr; // not begun: otherwise a Version is invalidated
  }
  unit.compiled.clear();
  ++statistics_.invalidated;
  if (decision.reinstate) {
    for (const NativeCode* code : unit.set_aside) unit.compiled.push_back(code->code);
    return reinstate(unit, nullptr);
  }
  f.hot_at = f.calls + 1;
  for (const NativeCode* code : old) install_finished(*code);
}

// Feedback that the baseline recorded in an optimized version goes to the origins of its positions.
void TieringManager::propagate_feedback(const ResolvedVersion& version) {
  const OptimizedVersion* const owner = context_.cache.version_of(version);
  if (owner != nullptr && &owner->code() == &version) context_.feedback.propagate(*owner);
}

void TieringManager::discard_set_aside(Unit& unit) {
  for (const NativeCode* code : unit.set_aside) context_.cache.invalidate(*code);
  unit.set_aside.clear();
}

void TieringManager::reinstate(Unit& unit, const OsrEntry* entry) {
  for (const NativeCode* code : unit.set_aside) {
    context_.cache.reinstate(*code);
    report(event_of(TierEvent::Kind::Reinstated, *code, entry));
    ++statistics_.reinstated;
    if (code->sampled != nullptr)
      code->sampled->restart_sampling(unit.history.failed_recompilations);
  }
  unit.set_aside.clear();
  unit.exits_of_code = 0;
}

void TieringManager::free_unused(const CodeInUse& in_use,
                                 const std::function<void(const ResolvedVersion&)>& drop) {
  const std::lock_guard lock(mutex_);
  const ReleasedCode released = context_.cache.release_unused(in_use);
  for (const auto& code : released.code)
    if (code->sampled != nullptr) recompilation_.remove(*code->sampled);
  for (const auto& version : released.versions)
    for (const auto& stream : version->streams) {
      context_.feedback.drop(*stream);
      drop(*stream);
    }
  for (const OsrEntry* entry : released.entries) places_.erase(entry);
}

// --- Statistics and hooks ---

TieringStatistics TieringManager::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

std::vector<TierCounts> TieringManager::counts() {
  const std::lock_guard lock(mutex_);
  std::vector<TierCounts> all;
  for (const Function& source : context_.program.source().functions) {
    const FunctionCell& f = cell(source.name);
    const auto known = functions_.find(&f);
    const FunctionUnit none;
    const FunctionUnit& unit = known == functions_.end() ? none : known->second;
    TierCounts& one = all.emplace_back(counts_of(unit.history));
    one.version = f.fun->dispatch.front();
    one.calls = f.calls - unit.calls_before;
    for (const ResolvedVersion* version : f.fun->versions)
      if (unit.compiled.empty() && context_.cache.code_for_calls(*version) != nullptr)
        one.installed.push_back(version); // Engine::Native
    one.installed.insert(one.installed.end(), unit.compiled.begin(), unit.compiled.end());
    for (std::size_t i = 0; unit.contexts && i < unit.contexts->size(); ++i)
      if (const ResolvedVersion* const code = (*unit.contexts)[i].compiled)
        one.installed.push_back(code);
  }
  for (const auto& [entry, unit] : places_) {
    if (entry->number != 0) continue;
    TierCounts& one = all.emplace_back(counts_of(unit.history));
    one.version = entry->version;
    one.entry = entry;
    if (entry->code != nullptr) one.installed.push_back(entry->code->code);
  }
  return all;
}

TierCounts TieringManager::counts_of(const CodeHistory& h) const {
  return {.iterations = h.iterations,
          .arrivals = h.arrivals,
          .calls_needed = policy_.calls_needed(h),
          .iterations_needed = policy_.iterations_needed(h),
          .arrivals_needed = policy_.arrivals_needed(h),
          .invalidations = h.invalidations,
          .requested = h.compiling};
}

void TieringManager::warn(std::string_view what) const {
  if (context_.hooks.warn) context_.hooks.warn(what);
}

void TieringManager::warn_of(const ResolvedVersion& version, const std::string& what) const {
  const std::lock_guard names(context_.names.mutex);
  const Names& all = context_.program.names();
  warn(std::string(all.text(version.function)) + "." + std::string(all.text(version.version)) +
       " " + what);
}

OsrEntry* TieringManager::entry_of(const CompileJob& job) {
  return job.kind == JobKind::Function
             ? nullptr
             : &context_.cache.osr_entry(*job.version, job.pc, job.number);
}

void TieringManager::report_refused(const CompileJob& job, TierEvent event) {
  event.kind = TierEvent::Kind::NotCompiled;
  if (event.code == nullptr) event.code = job.versions.front();
  event.pc = job.pc;
  event.entry = entry_of(job);
  event.job = &job;
  report(event);
}

void TieringManager::report(const TierEvent& event) const {
  if (!context_.hooks.tiers) return;
  const std::lock_guard names(context_.names.mutex);
  context_.hooks.tiers(event);
}

} // namespace sourir::native
