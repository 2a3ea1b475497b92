// TieringManager: versions for the contexts of calls.
#include "native/tiering/tiering_manager.h"

#include "native/tiering/tier_events.h"

#include <algorithm>
#include <utility>

namespace sourir::native {

bool TieringManager::makes_contexts(const FunctionCell& f) const {
  return context_.settings.contexts.level > 0 && optimizes() &&
         context_.settings.speculation.arguments && call_entries_.one_version(f) && f.arity > 0 &&
         f.arity <= kMostNativeParameters &&
         (context_policy_.all_calls() || outweighs_dispatch(*f.fun->dispatch.front()));
}

std::optional<Context> TieringManager::add_call(FunctionCell& f, FunctionUnit& unit,
                                                const Value* arguments) {
  if (!f.dispatch || !f.dispatch->by_tiers) return std::nullopt;
  if (!unit.contexts) unit.contexts = std::make_unique<FunctionContexts>(*f.fun->dispatch.front());
  return unit.contexts->add(context_policy_, {arguments, f.arity});
}

void TieringManager::begin_contexts(std::unique_lock<std::mutex>& lock, FunctionCell& f,
                                    FunctionUnit& unit) {
  unit.contexts->begin();
  const std::vector<Config> states = unit.states.take();
  if (compiled_size(*f.fun->dispatch.front()) > context_.settings.tiers.most_instructions)
    return make_base(lock, f, unit);
  const ContextPolicy::Decision decision = context_policy_.decide(unit.contexts->history());
  if (decision.waits) {
    unit.contexts->rest.emplace();
    f.hot_at = f.calls + 1;
  } else {
    make_base(lock, f, unit);
  }
  make_versions(lock, f, unit, decision, states);
}

// A call of a function that has versions for some contexts, before the others are compiled. Returns
// the code that it enters; null: the baseline.
void* TieringManager::learn_rest(std::unique_lock<std::mutex>& lock, FunctionCell& f,
                                 FunctionUnit& unit, const Value* arguments) {
  FunctionContexts& contexts = *unit.contexts;
  RestHistory& rest = *contexts.rest;
  f.hot_at = f.calls + 1;
  const Context call = *add_call(f, unit, arguments);
  DispatchTable::Entry* const entered = contexts.with_code_for(call);
  if (!contexts.all_have_code()) {
    ++rest.waiting;
  } else {
    if (rest.calls++ == 0) context_.feedback.reset(*f.fun->dispatch.front());
    if (entered == nullptr) ++rest.others;
  }
  if (entered != nullptr) ++entered->tested_calls;
  void* const code = entered != nullptr ? entered->code.load(std::memory_order_acquire) : nullptr;
  if (!policy_.rest_is_known(rest)) return code;
  contexts.rest.reset();
  contexts.rest_is_known();
  f.hot_at = kNever;
  std::vector<Config> states;
  if (osr_jobs_.verifies())
    states.push_back(osr_jobs_.state_at(*f.fun->dispatch.front(), 0, arguments, f.arity));
  make_base(lock, f, unit);
  make_versions(lock, f, unit, context_policy_.decide(contexts.history()), states);
  return code;
}

// The version for all other calls.
void TieringManager::make_base(std::unique_lock<std::mutex>& lock, FunctionCell& f,
                               FunctionUnit& unit) {
  auto job = std::make_shared<CompileJob>();
  job->kind = JobKind::Function;
  job->counted = f.calls - unit.calls_before;
  job->invalidations = unit.history.invalidations;
  job->version = f.fun->dispatch.front();
  job->versions = {job->version};
  job->dispatched = &f;
  job->speculates = false;
  unit.history.compiling = true;
  begin_job(lock, std::move(job));
}

void TieringManager::make_versions(std::unique_lock<std::mutex>& lock, FunctionCell& f,
                                   FunctionUnit& unit, const ContextPolicy::Decision& decision,
                                   const std::vector<Config>& states) {
  FunctionContexts& contexts = *unit.contexts;
  for (const std::size_t number : decision.evict) {
    contexts.evict(number);
    if (contexts[number].compiled != nullptr) remove_code(contexts[number]);
  }
  for (const Context& context : decision.make) {
    std::vector<Config> some = contexts.for_context(context, states);
    if (osr_jobs_.verifies() && some.empty()) continue; // when such a call comes
    make_version(lock, f, unit, contexts.add_version(context), std::move(some));
  }
}

// number: of the version, without code.
void TieringManager::make_version(std::unique_lock<std::mutex>& lock, FunctionCell& f,
                                  FunctionUnit& unit, std::size_t number,
                                  std::vector<Config> states) {
  FunctionContexts::Version& version = (*unit.contexts)[number];
  auto job = std::make_shared<CompileJob>();
  job->kind = JobKind::Function;
  job->counted = f.calls - unit.calls_before;
  job->invalidations = version.history.invalidations;
  job->version = f.fun->dispatch.front();
  job->versions = {job->version};
  job->call_context = unit.contexts->context(number);
  job->when = unit.contexts->guards(*job->call_context);
  job->entry = version.entry;
  if (job->entry == nullptr) job->dispatched = &f;
  job->optimizes = true;
  job->states = std::move(states);
  add_feedback(*job, std::vector<TypeSet>(f.arity, kAnyType));
  remove_contradicted(job->predicates, f.name, job->when);
  version.history.compiling = true;
  version.history.arrivals = 0;
  begin_job(lock, std::move(job));
}

void TieringManager::at_dispatch(FunctionCell& f, const Value* arguments) {
  std::unique_lock lock(mutex_);
  f.dispatch->until_report = calls_until_report();
  FunctionUnit& unit = functions_[&f];
  FunctionContexts& contexts = *unit.contexts;
  const Context call = *add_call(f, unit, arguments);
  std::vector<Config> states;
  if (osr_jobs_.verifies())
    states.push_back(osr_jobs_.state_at(*f.fun->dispatch.front(), 0, arguments, f.arity));
  if (const std::optional<std::size_t> lost = contexts.without_code(call)) {
    CodeHistory& history = contexts[*lost].history;
    ++history.arrivals;
    if (policy_.speculates(history) &&
        policy_.at_exit_target(history) == TieringPolicy::Entry::Compile)
      return make_version(lock, f, unit, *lost, std::move(states));
  }
  make_versions(lock, f, unit, context_policy_.decide(contexts.history()), states);
}

// What the optimizer must know of calls that enter versions for contexts.
std::vector<Feedback::Dispatched> TieringManager::dispatched_calls() {
  std::vector<Feedback::Dispatched> all;
  for (auto& [f, unit] : functions_)
    for (std::size_t i = 0; unit.contexts && i < unit.contexts->size(); ++i)
      if (!unit.contexts->history().versions[i].evicted)
        all.push_back({f->name, unit.contexts->guards(unit.contexts->context(i))});
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.function.id; });
  return all;
}

TieringManager::Unit& TieringManager::unit_of(const CompileJob& job) {
  if (job.kind != JobKind::Function) return unit(*entry_of(job));
  FunctionUnit& at = functions_[&cell(job.version->function)];
  if (!job.call_context) return at;
  return (*at.contexts)[at.contexts->number_of(*job.call_context)];
}

// The compiler has made no version.
void TieringManager::refuse_version(const CompileJob& job) {
  FunctionContexts& contexts = *functions_[&cell(job.version->function)].contexts;
  contexts.evict(contexts.number_of(*job.call_context));
  context_.cache.unpin(*job.version);
}

void TieringManager::remove_code(FunctionContexts::Version& version) {
  const NativeCode* const code = context_.cache.code_for_calls(*version.compiled);
  discard_set_aside(version);
  version.compiled = nullptr;
  if (code == nullptr) return;
  context_.cache.invalidate(*code);
  install_finished(*code);
}

// Its calls enter another version, and the tiers see some of them.
void TieringManager::invalidate(FunctionContexts::Version& version) {
  const TieringPolicy::Invalidation decision = policy_.on_invalidation(history(version));
  propagate_feedback(*version.compiled);
  forget_samples(version, *cell(version.compiled->function).fun->dispatch.front());
  report(invalidated_event(*version.compiled, nullptr, version.history,
                           {.reinstate = decision.reinstate, .reset_feedback = false}));
  version.history.exits = 0;
  ++statistics_.invalidated;
  const NativeCode* const code = context_.cache.code_for_calls(*version.compiled);
  if (code != nullptr) count_failed_recompilation(version, *code);
  if (decision.reinstate) {
    if (code != nullptr) context_.cache.invalidate(*code);
    version.compiled = version.set_aside.front()->code;
    return reinstate(version, nullptr);
  }
  ++version.history.invalidations;
  remove_code(version);
}

} // namespace sourir::native
