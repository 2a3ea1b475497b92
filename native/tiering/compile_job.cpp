#include "native/tiering/compile_job.h"

#include "native/runtime/event_identity.h"
#include "native/tiering/back_edges.h"
#include "profiler/trigger.h"
#include "sourir/semantics/resolved.h"

#include <algorithm>

namespace sourir::native {

namespace {

using Engine = NativeSettings::Engine;
using JobKind = CompileJob::Kind;
using Clock = std::chrono::steady_clock;

template <class F>
void for_each_target(const ResolvedVersion& code, F&& f) {
  const auto of = [&](const resolved::Exit& exit) {
    f(exit.frame);
    for (const resolved::OuterFrame& outer : exit.outer) f(outer.frame);
  };
  for (const resolved::Instr& i : code.instrs) {
    if (const auto* const assume = std::get_if<resolved::Assume>(&i)) of(assume->exit);
    if (const auto* const anchor = std::get_if<resolved::Anchor>(&i)) of(anchor->exit);
  }
}

std::vector<Value> variables_of(const DeoptTarget& target, const Config& state) {
  std::vector<Value> values;
  for (const DeoptTarget::Variable& v : target.variables) {
    const std::size_t base =
        v.frame == 0 ? state.base : state.frames[state.frames.size() - v.frame].base;
    values.push_back(state.stack[base + v.slot]);
  }
  return values;
}

// before: of profiler::thread_time().
double seconds_since(std::uint64_t before) {
  return 1e-9 * static_cast<double>(profiler::thread_time() - before);
}

} // namespace

std::size_t compiled_size(const ResolvedVersion& version) {
  std::size_t size = version.instrs.size();
  for (const resolved::Instr& instr : version.instrs)
    if (const resolved::Exit* const exit = exit_of(instr)) size += exit->with.size();
  return size;
}

namespace {

constexpr std::uint32_t kFewIterations = 1024; // of a loop, for each exit from it

// The accesses of elements that found them in several storages, one of them unboxed.
std::vector<Pc> polluted_storages(const OptimizedVersion& version) {
  std::vector<Pc> found;
  for (Pc pc = 0; pc < version.sites.size() && pc < version.code().instrs.size(); ++pc) {
    const TypeSet elements = element_types(version.sites[pc].storages);
    if (!elements.empty() && !elements.single()) found.push_back(pc);
  }
  return found;
}

// Branches of which neither successor is taken less often than once in kFewIterations times.
std::vector<Pc> branches_with_two_ways(const OptimizedVersion& version) {
  std::vector<Pc> found;
  for (Pc pc = 0; pc < version.sites.size() && pc < version.code().instrs.size(); ++pc) {
    if (!std::holds_alternative<resolved::Branch>(version.code().instrs[pc])) continue;
    const auto [least, most] =
        std::minmax({version.sites[pc].times_taken(), version.sites[pc].times_not_taken()});
    if (least > 0 && most / least < kFewIterations) found.push_back(pc);
  }
  return found;
}

} // namespace

CompileResult JobCompiler::run(CompileJob& job) {
  if (!compiler_) compiler_ = context_.make_compiler();
  CompileResult result;
  if (job.speculates && job.optimizes) result.version = optimized(job);
  if (result.version) check_version(job, result);
  const bool for_context = job.context != nullptr || job.call_context;
  if (for_context && !result.version) return result; // other code is there
  result.requests = requests_of(job, result.version.get());
  if (job.context != nullptr && job.context->cause.guard == FailedGuard::None)
    result.requests.front().tier_up_loops = loops_of_origin(job, *result.version);
  result.of_job = result.requests.size();
  add_continuations(result.requests);
  const auto before = Clock::now();
  if (context_.sampled_code && job.speculates && job.context == nullptr)
    for (CompileRequest& r : std::span(result.requests).first(result.of_job)) {
      sample(r);
      r.sampled->leaves_loops = job.kind != JobKind::Continuation;
      if (!result.version) continue;
      r.sampled_storages = polluted_storages(*result.version);
      r.leave_soon = branches_with_two_ways(*result.version);
      r.without_polls = back_edges_without_polls(*r.code, r.start, result.version->sites);
    }
  compile(result);
  if (job.dispatched != nullptr) {
    if (job.dispatched->dispatch->by_tiers) add_to_table(job, result);
    compile_dispatchers({&job.dispatched, 1}, result);
  }
  job.dispatched = nullptr; // a job made from this one needs no other
  result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
  return result;
}

// The first entry is for all calls.
void JobCompiler::add_to_table(CompileJob& job, const CompileResult& result) {
  FunctionCell& f = *job.dispatched;
  if (f.dispatch->entries.empty()) context_.cache.add_entry(f, {}, {});
  job.entry = job.call_context
                  ? &context_.cache.add_entry(f, *job.call_context, result.version->code().when)
                  : &f.dispatch->entries.front();
}

void JobCompiler::check_version(const CompileJob& job, CompileResult& result) {
  if (is_too_large(job, *result.version)) {
    result.refused = Refusal::TooLarge;
  } else if (context_.settings.verifier && !job.states.empty()) {
    result.verified = verdict(job, *result.version);
    if (*result.verified != Verified::Holds)
      result.refused =
          *result.verified == Verified::Differs ? Refusal::Differs : Refusal::Undecided;
  }
  if (!result.refused) return;
  result.refused_version = std::exchange(result.version, nullptr);
}

// The optimizer may make a version larger, but not without limit.
bool JobCompiler::is_too_large(const CompileJob& job, const OptimizedVersion& version) {
  const std::size_t size = compiled_size(version.code());
  const std::size_t limit = context_.settings.tiers.most_instructions;
  if (size <= 2 * limit) return false;
  if (!context_.hooks.warn || !too_large_.insert(job.version).second) return true;
  const std::lock_guard lock(context_.names.mutex);
  const Names& names = context_.program.names();
  context_.hooks.warn(std::string(names.text(job.version->function)) + "." +
                      std::string(names.text(job.version->version)) +
                      " is not optimized: it would have " + std::to_string(size) +
                      " instructions (--tier size=" + std::to_string(limit) +
                      " allows twice as many)");
  return true;
}

CompileResult JobCompiler::compile_all(std::vector<CompileRequest> requests,
                                       std::span<FunctionCell* const> dispatched) {
  CompileResult result{.requests = std::move(requests)};
  result.of_job = result.requests.size();
  add_continuations(result.requests);
  compile(result);
  if (!dispatched.empty()) compile_dispatchers(dispatched, result);
  return result;
}

void JobCompiler::compile_dispatchers(std::span<FunctionCell* const> functions,
                                      CompileResult& result) {
  std::vector<CompileRequest> requests;
  for (const FunctionCell* f : functions)
    requests.push_back({.code = f->fun->dispatch.back(), .dispatched = f});
  const std::lock_guard lock(context_.names.mutex);
  auto made = compiler_->compile(requests, context_.options);
  for (const auto& code : made) record_events(*code);
  for (std::size_t i = 0; i < made.size(); ++i)
    result.dispatchers.emplace_back(functions[i], std::move(made[i]));
}

// Its recursive calls enter the usual code.
CompileResult JobCompiler::compile_instrumented(CompileRequest request, bool slow) {
  request.instrumented = true;
  request.calls_itself = false;
  CompileOptions options = context_.options;
  if (slow) options.level = 0;
  CompileResult result{.requests = {std::move(request)}};
  const auto before = Clock::now();
  const std::uint64_t processor_before = profiler::thread_time();
  {
    const std::lock_guard lock(context_.names.mutex);
    result.code = compiler_->compile(result.requests, options);
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - before).count();
  result.milliseconds = 1000 * result.seconds;
  result.processor_seconds = seconds_since(processor_before);
  return result;
}

std::unique_ptr<OptimizedVersion> JobCompiler::optimized(const CompileJob& job) {
  const Optimizer optimizer = [&](OptimizerRequest request) {
    request.running_loop = job.kind == JobKind::Loop;
    return context_.settings.optimizer(request);
  };
  const LinkedProgram& program = context_.program;
  const SitesOf sites = [&](const ResolvedVersion& version) { return job.feedback.of(version); };
  const std::lock_guard lock(context_.names.mutex);
  Names& names = *context_.names.names;
  if (job.kind == JobKind::Function) {
    if (!job.calls_itself && !job.call_context) return nullptr;
    return optimize_version(program, job.version->function, job.when, job.predicates, sites,
                            optimizer, names);
  }
  // Only for versions of the source program: an optimized version is part of another program.
  if (program.version(job.version->function, job.version->version) != job.version ||
      job.entry_types.empty())
    return nullptr;
  std::vector<RestFrame> frames{{job.version, job.pc}};
  std::vector<std::vector<Tag>> types{job.entry_types};
  if (job.context != nullptr)
    for (std::size_t f = 1; f < job.context->target->frames.size(); ++f) {
      const DeoptTarget::Frame& outer = job.context->target->frames[f];
      frames.push_back({outer.code, outer.pc, outer.result});
      types.push_back(job.outer_entry_types[f - 1]);
    }
  return optimize_rest(program, frames, job.predicates, types, sites, optimizer, names);
}

Verified JobCompiler::verdict(const CompileJob& job, const OptimizedVersion& version) {
  std::vector<EntryState> states;
  for (const Config& state : job.states) {
    EntryState& entry = states.emplace_back(EntryState{{}, state.heap});
    if (job.context != nullptr) {
      entry.arguments = variables_of(*job.context->target, state);
      continue;
    }
    for (Slot p = 0; p < version.code().parameters; ++p)
      entry.arguments.push_back(state.env()[version.outlined_from ? version.entered_with[p] : p]);
  }
  const std::lock_guard lock(context_.names.mutex);
  return context_.settings.verifier({context_.program, version, states, *context_.names.names});
}

std::vector<CompileRequest> JobCompiler::requests_of(CompileJob& job,
                                                     const OptimizedVersion* version) {
  const bool function = job.kind == JobKind::Function;
  const bool calls_itself = function && job.calls_itself;
  if (version != nullptr)
    return {{.code = &version->code(),
             .entry = function,
             .at_loop = job.kind == JobKind::Loop,
             .parameters_only = !function,
             .by_cell = calls_itself,
             .calls_itself = calls_itself,
             .tested_by_storage = job.call_context.has_value()}};
  std::vector<CompileRequest> requests;
  for (const ResolvedVersion* code : job.versions) {
    CompileRequest r{.code = code,
                     .start = job.pc,
                     .entry = function,
                     .at_loop = job.kind == JobKind::Loop,
                     .by_cell = calls_itself,
                     .calls_itself = calls_itself};
    if (job.kind == JobKind::Continuation) r.tier_up_loops = tier_up_loops(*code, r.start);
    requests.push_back(r);
  }
  return requests;
}

// Requests for the targets of exits, where these are compiled with the code that exits.
void JobCompiler::add_continuations(std::vector<CompileRequest>& requests) const {
  if (context_.settings.tiers.exits_until_continuation != 0 || !context_.continuations) return;
  const auto there = [&](const resolved::Frame& to) {
    return context_.cache.has_osr_code(*to.code, to.pc) ||
           std::ranges::any_of(requests, [&](const CompileRequest& r) {
             return !r.entry && r.code == to.code && r.start == to.pc;
           });
  };
  for (std::size_t i = 0; i < requests.size(); ++i) // also of those that are added
    for_each_target(*requests[i].code, [&](const resolved::Frame& to) {
      if (there(to)) return;
      CompileRequest r{.code = to.code, .start = to.pc, .entry = false};
      r.tier_up_loops = tier_up_loops(*to.code, to.pc);
      requests.push_back(r);
    });
}

namespace {

template <class F>
void for_each_back_edge(const ResolvedVersion& version, F&& f) {
  for (Pc pc = 0; pc < version.instrs.size(); ++pc) {
    if (const auto* jump = std::get_if<resolved::Goto>(&version.instrs[pc]))
      if (jump->target <= pc) f(jump->target, pc);
    if (const auto* branch = std::get_if<resolved::Branch>(&version.instrs[pc]))
      for (const Pc target : {branch->if_true, branch->if_false})
        if (target <= pc) f(target, pc);
  }
}

bool is_loop_header(const ResolvedVersion& version, Pc pc) {
  bool is = false;
  for_each_back_edge(version, [&](Pc head, Pc) { is = is || head == pc; });
  return is;
}

void sort_by_header(std::vector<TierUpLoop>& loops) {
  std::ranges::sort(loops, {}, &TierUpLoop::head);
  const auto [end, last] = std::ranges::unique(loops, {}, &TierUpLoop::head);
  loops.erase(end, last);
}

} // namespace

// The loops with calls or inner loops at whose headers a continuation tiers up, once there is
// optimized code for the loop itself. Other loops are short enough to stay in the continuation.
std::vector<TierUpLoop> JobCompiler::tier_up_loops(const ResolvedVersion& version, Pc start) const {
  if (context_.settings.engine != Engine::Auto || context_.cache.version_of(version) != nullptr)
    return {};
  std::vector<std::uint32_t> before(version.instrs.size() + 1); // calls and back edges
  for (Pc pc = 0; pc < version.instrs.size(); ++pc) {
    const resolved::Instr& i = version.instrs[pc];
    before[pc + 1] =
        before[pc] + (is_back_edge(i, pc) || std::holds_alternative<resolved::Call>(i));
  }
  std::vector<TierUpLoop> loops;
  for_each_back_edge(version, [&](Pc head, Pc end) {
    if (head != start && before[end] != before[head])
      loops.push_back({head, &context_.cache.osr_entry(version, head).ready});
  });
  sort_by_header(loops);
  return loops;
}

// The loops at whose headers a continuation for forced exits goes back to the code of the loop,
// which fits as well as before; where a guard failed, the next iteration would fail it again. Not
// where the continuation begins: that code would exit again, and nothing would have moved on.
std::vector<TierUpLoop> JobCompiler::loops_of_origin(const CompileJob& job,
                                                     OptimizedVersion& version) const {
  const std::lock_guard lock(context_.names.mutex);
  std::vector<TierUpLoop> loops;
  for_each_back_edge(version.code(), [&](Pc head, Pc) {
    const resolved::Exit* const state = version.deopt_map(head, context_.program);
    if (state == nullptr || !is_loop_header(*state->frame.code, state->frame.pc)) return;
    if (state->frame.code == job.version && state->frame.pc == job.pc) return;
    const OsrEntry& entry = context_.cache.osr_entry(*state->frame.code, state->frame.pc);
    loops.push_back({head, &entry.ready});
  });
  sort_by_header(loops);
  return loops;
}

void JobCompiler::sample(CompileRequest& request) const {
  std::string version;
  {
    const std::lock_guard lock(context_.names.mutex);
    const Names& all = context_.program.names();
    version.append(all.text(request.code->function))
        .append(".")
        .append(all.text(request.code->version));
    if (!request.entry) version += "@" + std::to_string(request.start);
  }
  request.sampled = context_.sampled_code(version);
  const profiler::Settings& sampling = context_.settings.sampling;
  request.sampled->is_recursive = request.calls_itself && calls_itself(*request.code);
  request.sampled->keeps_types = request.sampled->is_recursive;
  request.sampled->hits_until_instrumented = sampling.hits_until_instrumented;
  if (sampling.trigger.kind != profiler::TriggerKind::Loop)
    request.sampled->period = sampling.trigger.period / profiler::kInstructionsPerNanosecond;
  request.instrumented = request.sampled->is_instrumented();
}

void JobCompiler::record_events(const CompileResult& result) const {
  for (const auto& code : result.code)
    for (const auto& counted : code->events) {
      const auto* const optimized =
          result.version ? result.version.get() : context_.cache.version_of(*code->code);
      identify(*counted, *code->code, optimized, context_.program.names());
      counted->start = code->start;
      counted->entry = code->at_entry;
      context_.settings.events->add(counted);
    }
}

void JobCompiler::record_events(const NativeCode& dispatcher) const {
  for (const auto& counted : dispatcher.events) {
    counted->function = context_.program.names().text(dispatcher.code->function);
    counted->version = "dispatcher";
    context_.settings.events->add(counted);
  }
}

void JobCompiler::compile(CompileResult& result) {
  const auto before = Clock::now();
  const std::uint64_t processor_before = profiler::thread_time();
  if (!compiler_) compiler_ = context_.make_compiler();
  {
    const std::lock_guard lock(context_.names.mutex);
    result.code = compiler_->compile(result.requests, context_.options);
    record_events(result);
    if (context_.hooks.made) {
      std::vector<const NativeCode*> made;
      for (const auto& code : result.code) made.push_back(code.get());
      context_.hooks.made({*compiler_, result.requests, context_.options, made});
    }
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - before).count();
  result.processor_seconds = seconds_since(processor_before);
}

} // namespace sourir::native
