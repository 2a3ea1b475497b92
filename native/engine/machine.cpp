#include "native/engine/machine.h"

#include "native/deopt/early_failure.h"
#include "native/deopt/materialize.h"
#include "native/engine/context_check.h"
#include "native/engine/runtime_calls.h"
#include "sourir/semantics/resolved.h"
#include "sourir/semantics/text/state_text.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace sourir::native {

namespace {

constexpr std::size_t kMostWatchpoints = 1024;
constexpr std::uint64_t kCountTakenOverEvery = 1024; // of one exit

Value value_of(NativeResult r) { return Value::of_bits(r.bits, static_cast<Tag>(r.tag)); }

// What the interpreter counts into; null: nothing. Markers alone cost it nothing.
profiler::EventRecording* counted_by_interpreter(const NativeSettings& settings) {
  const bool counts =
      settings.events && settings.events->options.strategy != profiler::EventStrategy::None;
  return counts ? settings.events.get() : nullptr;
}

const Value* values_at(const char* base) { return reinterpret_cast<const Value*>(base); }

} // namespace

Machine::Machine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                 const NativeSettings& settings, const EngineHooks& hooks)
    : program_(program), input_(input), schedule_(schedule), settings_(settings), hooks_(hooks),
      events_(counted_by_interpreter(settings), program, cache_, names_),
      interpreter_(program, input, settings.limits, names_, feedback_, interpreter_options(),
                   *this),
      deoptimizer_(interpreter_.registers, interpreter_.heap, interpreter_.values, interpreter_,
                   *this),
      sampling_(interpreter_.registers, sampled_, settings.sampling),
      recorder_(program, input, schedule, settings.limits, interpreter_, cache_, names_,
                hooks.steps),
      exit_log_(interpreter_.registers, program.names(), names_, static_cast<bool>(hooks.tiers)),
      watchpoints_(kMostWatchpoints * sizeof(Watchpoint)), tiering_(tiering_context()) {
  names_.names = settings.names;
  watchpoints_.top = watchpoints_.end();
  tiering_.begin();
}

Machine::~Machine() = default;

InterpreterOptions Machine::interpreter_options() {
  InterpreterOptions options{
      .translation = {.forced_exits = forces_exits(),
                      .tiers = settings_.engine != NativeSettings::Engine::Baseline},
      .dispatches = schedule_.enters(),
      .reports_entries = static_cast<bool>(hooks_.steps),
      .iterations_until_native = settings_.tiers.iterations_until_native,
      .interrupt = hooks_.interrupt,
      .print = hooks_.print};
  if (counted_by_interpreter(settings_) != nullptr)
    options.events = [this](const ResolvedVersion& version) { return events_.counters(version); };
  if (!settings_.sampling.on) return options;
  options.made_bytecode = [this](const ResolvedVersion& code, const Insn* begin, const Insn* end) {
    const std::lock_guard names(names_.mutex);
    const Names& all = program_.names();
    sampling_.baseline_samples().add(std::string(all.text(code.function)) + "." +
                                         std::string(all.text(code.version)),
                                     begin, end);
  };
  options.drops_bytecode = [this](const Insn* begin) {
    sampling_.baseline_samples().remove(begin);
  };
  return options;
}

TieringContext Machine::tiering_context() {
  return {.program = program_,
          .settings = settings_,
          .cells = interpreter_.cells(),
          .cache = cache_,
          .feedback = feedback_,
          .sampled = sampled_,
          .names = names_,
          .hooks = {hooks_.tiers, hooks_.optimized, hooks_.warn, hooks_.made},
          .compile_options = {.level = settings_.level,
                              .forced_exits = forces_exits(),
                              .fuel = limits_fuel(),
                              .entries = recorder_.on(),
                              .drops_exits = settings_.drops_exits,
                              .guard_values = exit_log_.on() || settings_.tiers.deoptless,
                              .counts_dispatches = settings_.counts_dispatches,
                              .events = settings_.events ? &settings_.events->options : nullptr,
                              .event_counter = sampling_.event_counter()},
          .dispatches = schedule_.enters(),
          .make_compiler = [this] { return settings_.compiler(*this); },
          .state_of = [this](std::span<const FrameState> frames) { return state_of(frames); }};
}

CompilerHost Machine::compiler_host() {
  CompilerHost host;
  host.machine = this;
  host.cells = interpreter_.cells();
  host.fuel = &interpreter_.registers.fuel;
  host.until_asked = &interpreter_.registers.until_asked;
  host.returned = &interpreter_.registers.returned;
  host.heap = interpreter_.heap.free_lists();
  if (settings_.watchpoints)
    host.new_watchpoint = [](Machine* m, std::uint64_t index, Value v) {
      return m->new_watchpoint(index, v);
    };
  host.names = &program_.names();
  host.calls = runtime_calls();
  return host;
}

bool Machine::limits_fuel() const {
  return static_cast<bool>(hooks_.steps) ||
         settings_.limits.fuel < std::numeric_limits<std::int64_t>::max();
}

// The slice that the interpreter has taken, which it would count down: otherwise native code ends
// before all fuel is used.
void Machine::give_fuel_to_native_code() {
  Registers& r = interpreter_.registers;
  const bool limited = settings_.limits.fuel < std::numeric_limits<std::int64_t>::max();
  if (limited) r.fuel += std::exchange(r.poll, 0);
}

bool Machine::forces_exits() const {
  return schedule_.mode != Schedule::Mode::Never && !schedule_.enters();
}

// --- Calls ---

NativeResult Machine::call_below(void* entry, std::int64_t depth, const Value* arguments,
                                 std::uint32_t n, const void* native_frame) {
  Registers& r = interpreter_.registers;
  EntryFrame frame{r.entries, r.frames, native_frame, false};
  r.push(frame);
  give_fuel_to_native_code();
  const NativeResult result = call_native_code(entry, depth, arguments, n);
  r.pop(frame);
  return result;
}

BaselinePosition Machine::call_native(void* entry, char* frame, std::uint32_t n) {
  const Registers& r = interpreter_.registers;
  auto* const arguments = reinterpret_cast<Value*>(frame);
  interpreter_.values.top = arguments + n;
  return bind_result(value_of(call_below(entry, r.frames_limit - r.frames, arguments, n, nullptr)));
}

std::optional<Value> Machine::call(const NativeCaller& caller, Value callee,
                                   std::span<const Value> arguments) {
  if (caller.depth < 0 || !callee.is(Tag::Fun)) return {};
  FunctionCell& f = interpreter_.cells()[callee.bits()];
  if (f.arity != arguments.size()) return {};
  if (void* entry = f.entry.load(std::memory_order_acquire))
    return value_of(call_below(entry, caller.depth, arguments.data(), f.arity, caller.frame));
  Registers& r = interpreter_.registers;
  Value* const frame = interpreter_.values.top;
  char* const base = reinterpret_cast<char*>(frame);
  if (base + std::max<std::uint64_t>(f.frame_bytes, arguments.size_bytes()) > r.stack_limit)
    return {};
  void* of_context = nullptr;
  if (++f.calls >= f.hot_at) {
    of_context = tiering_.at_call(f, arguments.data());
    EntryFrame entry{r.entries, r.frames, caller.frame, false};
    r.push(entry);
    free_unused_code(nullptr);
    r.pop(entry);
  }
  if (of_context != nullptr)
    return value_of(call_below(of_context, caller.depth, arguments.data(), f.arity, caller.frame));
  std::ranges::copy(arguments, frame);
  return interpreter_.run_nested(caller.frame, caller.replaced, caller.depth,
                                 [&] { return BaselinePosition{f.baseline, base}; });
}

// The same choice as entered() of the reference.
const ResolvedVersion& Machine::version_for(const LinkedProgram::Fun& f, const Value* arguments) {
  using enum Schedule::Mode;
  const std::uint64_t number = version_choices_++; // 0: the start
  const auto fits = [&](const ResolvedVersion* code) {
    return first_failing(arguments, code->when) == code->when.size();
  };
  if (schedule_.enters()) {
    std::vector<const ResolvedVersion*> all;
    for (const ResolvedVersion* code : f.versions)
      if (!code->source->cont && fits(code)) all.push_back(code);
    if (schedule_.mode == EnterAny) return *all[schedule_.chosen(number, all.size())];
    const bool here =
        schedule_.mode == EnterAt ? schedule_.call == number : schedule_.function == f.name;
    const auto wanted = std::ranges::find(all, schedule_.version, &ResolvedVersion::version);
    if (here && wanted != all.end()) return **wanted;
  }
  return *native::entered(f, arguments);
}

const ResolvedVersion& Machine::version_for(const FunctionCell& f, const Value* arguments) {
  return version_for(*f.fun, arguments);
}

void* Machine::native_entry(const ResolvedVersion& version) {
  const NativeCode* const code = cache_.code_for_calls(version);
  return code != nullptr ? code->entry : nullptr;
}

void* Machine::at_call(FunctionCell& f, const Value* arguments, const Insn* ip) {
  void* entry = f.entry.load(std::memory_order_acquire);
  if (entry == nullptr) entry = tiering_.at_call(f, arguments);
  free_unused_code(ip);
  return entry != nullptr ? entry : f.entry.load(std::memory_order_acquire);
}

// --- OSR entries and exits ---

BaselinePosition Machine::at_loop_header(Insn* ip, Pc head, char* base, std::int64_t iterations) {
  Bytecode& code = interpreter_.bytecode_of(ip);
  Registers& r = interpreter_.registers;
  OsrCode entry = tiering_.at_loop_header(*code.code, head, iterations, values_at(base));
  free_unused_code(ip);
  if (!deoptimizer_.has_room(entry, {&code, ip, base})) entry = {};
  if (entry.code != nullptr) {
    give_fuel_to_native_code();
    if (ip->pc == head && is_back_edge(code.code->instrs[head], head)) {
      // The head is the back edge itself: native code executes it, and counts it.
      events_.executed_natively(*code.code, head);
    } else {
      --r.fuel;
      // What lies between the target of the back edge and the loop header.
      if (const auto* jump = std::get_if<resolved::Goto>(&code.code->instrs[ip->pc]))
        events_.executed(*code.code, jump->target, head);
    }
    osr_entered(*code.code, head, entry);
    if (settings_.tiers.stress_osr) r.fuel += std::exchange(r.poll, 0); // not counted as events
  }
  return deoptimizer_.enter(entry, {&code, ip, base}, 0);
}

BaselinePosition Machine::at_continuation(Insn* ip, Pc pc, char* base) {
  Bytecode& code = interpreter_.bytecode_of(ip);
  OsrCode entry = tiering_.at_continuation(*code.code, pc, values_at(base));
  if (!deoptimizer_.has_room(entry, {&code, ip, base})) entry = {};
  if (entry.code != nullptr) {
    osr_entered(*code.code, pc, entry);
    give_fuel_to_native_code();
  }
  return deoptimizer_.enter(entry, {&code, ip, base}, 1);
}

bool Machine::wants_exit(const ResolvedVersion* version, Pc pc) {
  std::int64_t& left = interpreter_.registers.until_asked;
  if (--left != 0) return false;
  const AskedExit asked = ask_for_exit(version, pc);
  left = asked.until_asked;
  return asked.taken;
}

Machine::AskedExit Machine::ask_for_exit(const ResolvedVersion* version, Pc pc) {
  Registers& r = interpreter_.registers;
  const std::uint64_t n = asked_;
  forcing_ = schedule_.forces_exit(n, r.returned, version, pc);
  r.returned = false;
  forced_ += forcing_;
  // The one after a forced exit in any case: forcing_ is about the last opportunity.
  asked_ = forcing_ ? n + 1 : schedule_.next_possible(n);
  return {forcing_, static_cast<std::int64_t>(asked_ - n)};
}

BaselinePosition Machine::take_exit(const resolved::Exit& exit, Insn* ip, char* base) {
  if (!exit_log_.on()) return deoptimizer_.exit_baseline(exit, ip, base);
  DeoptEvent event{DeoptReason::Exit, interpreter_.bytecode_of(ip).code, ip->pc, &exit};
  exit_log_.begin(event, values_at(base), forcing_);
  const BaselinePosition on = deoptimizer_.exit_baseline(exit, ip, base);
  const std::lock_guard names(names_.mutex);
  hooks_.tiers({.kind = TierEvent::Kind::Deoptimized,
                .code = event.version,
                .pc = event.pc,
                .exit = &exit,
                .details = exit_log_.details(),
                .interpreted = true});
  return on;
}

OsrCode Machine::dispatch(const DeoptEvent& event, ExitDispatch& exit, DeoptCause cause,
                          const Value* values) {
  OsrCode on;
  const NativeCode* const cached = exit_log_.on() ? nullptr : exit.cached(cause, values);
  if (cached != nullptr) {
    on = {cached, nullptr, exit.last->entry, &exit.last->context};
    const bool counts = !event.forced || settings_.tiers.forced_exits_count;
    if (++exit.entered % kCountTakenOverEvery == 0 && counts)
      tiering_.count_taken_over(event, kCountTakenOverEvery);
  } else {
    DeoptEvent logged = event;
    if (exit_log_.on()) logged.details = exit_log_.dispatched(*exit.target, values);
    on = tiering_.dispatch(logged, exit, cause, values);
  }
  if (on.code == nullptr) return on;
  if (settings_.checks_contexts && !holds_of(*on.context, *exit.target, cause, values))
    ++outside_context_;
  last_exit_forced_ = std::exchange(forcing_, false);
  return on;
}

OsrCode Machine::deoptimized(const DeoptEvent& event) {
  const bool forced = event.reason == DeoptReason::Exit && last_exit_forced_;
  if (!exit_log_.on()) return tiering_.deoptimized(event, forced);
  DeoptEvent logged = event;
  logged.details = exit_log_.details();
  return tiering_.deoptimized(logged, forced);
}

// A guard that native code has failed early is an exit.
DeoptEvent Machine::in_language(DeoptEvent event, Value* slots) {
  if (std::exchange(leaves_loop_, false)) {
    event.reason = DeoptReason::Sample;
    return event;
  }
  event.forced = forcing_;
  if (event.reason != DeoptReason::Bailout) return event;
  if (const auto guard = failing_guard(*event.version, event.pc, slots, forces_exits())) {
    events_.executed(*event.version, event.pc, *guard);
    event.reason = DeoptReason::Exit;
    event.pc = *guard;
    event.exit = exit_at(*event.version, *guard);
  } else {
    ++bailouts_;
  }
  return event;
}

Value Machine::run_after(const DeoptEvent& exited, Value* slots, const NativeCaller& caller) {
  const DeoptEvent event = in_language(exited, slots);
  if (exit_log_.on()) exit_log_.begin(event, slots, forcing_);
  return interpreter_.run_nested(caller.frame, caller.replaced, caller.depth, [&] {
    char* const base = reinterpret_cast<char*>(interpreter_.values.top);
    return deoptimizer_.resume_after(event, slots, base);
  });
}

void Machine::exit_osr_code(const DeoptEvent& exited, Value* slots) {
  const DeoptEvent event = in_language(exited, slots);
  if (exit_log_.on()) exit_log_.begin(event, slots, forcing_);
  deoptimizer_.exit_osr_code(event, slots);
}

const resolved::Exit* Machine::deopt_map(const ResolvedVersion& version, Pc pc) {
  OptimizedVersion* const optimized = cache_.version_of(version);
  if (optimized == nullptr || &optimized->code() != &version) return nullptr;
  return optimized->deopt_map(pc, program_);
}

void Machine::resumed(const ResolvedVersion& version, Pc pc, const Value* slots) {
  last_exit_forced_ = std::exchange(forcing_, false);
  tiering_.resumed(version, pc, slots);
}

void Machine::exited(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
                     const char* base) {
  // Deopt maps are no exits of the program.
  if (exit_at(version, pc) == &exit) events_.exited(version, pc);
  if (exit_log_.on()) exit_log_.materialized(exit, base);
  if (recorder_.on()) recorder_.exited(exit, version, pc, base);
}

void Machine::exit_dispatched(const DeoptEvent& event, const DeoptTarget& target,
                              const Value* values, const OsrCode& code) {
  events_.exited(*event.version, event.pc);
  if (!recorder_.on()) return;
  recorder_.dispatched(*event.exit, *event.version, event.pc, target, values,
                       *cache_.version_of(*code.code->code));
}

// Native code of the version itself is no other version.
void Machine::osr_entered(const ResolvedVersion& from, Pc pc, const OsrCode& code) {
  if (recorder_.on() && code.parameters != nullptr)
    recorder_.osr_entered(from, pc, *cache_.version_of(*code.code->code));
}

void Machine::bailed_out(const ResolvedVersion& version, Pc pc, const char* base) {
  if (recorder_.on()) recorder_.bailed_out(version, pc, base);
}

void Machine::free_unused_code(const Insn* ip) {
  if (!cache_.wants_release()) return;
  const CodeInUse in_use = code_in_use(interpreter_, cache_, ip);
  tiering_.free_unused(in_use, [this](const ResolvedVersion& version) {
    interpreter_.drop(version);
    events_.drop(version);
  });
}

// --- Samples and watchpoints ---

profiler::Answer Machine::poll_sample(profiler::SampledCode& code, std::uint32_t bits) {
  if (tiering_.exits_stale_code(code)) return profiler::Answer::Leave;
  const auto leaves_instrumented = [&] {
    return (bits & profiler::kLeaveLoop) != 0 && code.leaves_instrumented(sampling_.now());
  };
  const bool at_return = (bits & profiler::kRequestedAtReturn) != 0;
  if (at_return) leaves_instrumented();
  if (code.begins_sample(bits & profiler::kRequestedAnywhere)) return profiler::Answer::Sample;
  if (at_return) return profiler::Answer::GoOn;
  const bool leaves =
      leaves_instrumented() || ((bits & profiler::kLeaveSlow) != 0 && code.leaves_slow());
  return leaves ? leave_loop() : profiler::Answer::GoOn;
}

profiler::Answer Machine::poll_loop(profiler::SampledCode& code, std::uint32_t bits) {
  if (tiering_.exits_stale_code(code)) return profiler::Answer::Leave;
  tiering_.needs_instrumented(code);
  const bool to_entry = (bits & profiler::kRequestedAnywhere) != 0;
  return code.leaves_loop(to_entry) ? leave_loop() : profiler::Answer::GoOn;
}

// The baseline enters the loop again at its next back edge.
profiler::Answer Machine::leave_loop() {
  Registers& r = interpreter_.registers;
  r.fuel += std::exchange(r.poll, 0);
  leaves_loop_ = true;
  return profiler::Answer::Leave;
}

void* Machine::poll_entry(profiler::SampledCode& code) {
  if (tiering_.exits_stale_code(code))
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(profiler::Answer::Leave));
  tiering_.needs_instrumented(code);
  return code.instrumented_to_enter();
}

profiler::Answer Machine::take_sample(profiler::SampledCode& code, const void* frame,
                                      std::uint32_t bits) {
  sampling_.take_sample(code, frame);
  return poll_sample(code, bits);
}

Watchpoint* Machine::new_watchpoint(std::uint64_t index, Value value) {
  const std::size_t n = next_watchpoint_.fetch_add(1, std::memory_order_relaxed);
  if (n >= kMostWatchpoints) return nullptr;
  auto* const watchpoint = new (reinterpret_cast<Watchpoint*>(watchpoints_.begin()) + n) Watchpoint;
  watchpoint->value = value;
  watchpoint->index = index;
  return watchpoint;
}

// --- The end of a run ---

Config Machine::state_of(std::span<const FrameState> frames) const {
  return reference_state(program_, input_, schedule_, settings_.limits,
                         {.frames = frames, .result = {}});
}

void Machine::end(const StepResult& last, const Insn* ip, const char* base) {
  if (ip != nullptr) {
    const std::vector<WalkedFrame> frames =
        in_source(interpreter_.heap, walk(interpreter_, cache_, ip, base), program_, cache_);
    std::vector<std::vector<Value>> environments;
    std::vector<FrameState> states;
    for (const WalkedFrame& f : std::span(frames).first(std::min(frames.size(), kReportedFrames))) {
      environments.push_back(environment(program_, f));
      states.push_back({f.code, f.pc, environments.back().data(), f.result.value_or(0)});
    }
    conclude(last, states, frames.size(), {});
    for (std::size_t i = 0; i < ended_.outcome.frames.size() && i < states.size(); ++i)
      add_optimized_out(program_, frames[i], ended_.outcome.frames[i]);
  }
  escape();
}

void Machine::conclude(const StepResult& last, std::span<const FrameState> frames,
                       std::uint64_t depth, Value result) {
  ended_.last = reference_state(program_, input_, schedule_, settings_.limits,
                                {.frames = frames,
                                 .depth = depth,
                                 .result = result,
                                 .input_position = interpreter_.input_position(),
                                 .output_bytes = interpreter_.output_bytes(),
                                 .heap_bytes = interpreter_.heap.used()});
  ended_.outcome = describe(ended_.last, last, depth);
}

void Machine::stuck(StuckReason why, BaselinePosition at) {
  end({.status = StepStatus::Stuck, .why = why}, at.ip, at.base);
}

void Machine::limit(Limit limit, BaselinePosition at) {
  end({.status = StepStatus::AtLimit, .limit = limit}, at.ip, at.base);
}

// Signals still arrive: none may find an entry frame that is gone.
void Machine::escape() {
  interpreter_.registers.entries = nullptr;
  std::atomic_signal_fence(std::memory_order_release);
  std::longjmp(escape_, 1);
}

void Machine::stop(Value result) {
  conclude({.status = StepStatus::Stopped}, {}, 0, result);
  escape();
}

void Machine::out_of_fuel(const ResolvedVersion& version, Pc pc, const Value* slots,
                          const NativeCaller& caller) {
  Registers& r = interpreter_.registers;
  char* const base = reinterpret_cast<char*>(interpreter_.values.top);
  const BaselinePosition at = deoptimizer_.bail_out(version, pc, slots, base);
  EntryFrame entry{r.entries, r.frames, caller.frame, true};
  r.push(entry);
  limit(Limit::Fuel, at);
}

// The outcome has no frames: a walk needs a position of the interpreter.
void Machine::stack_used_up() {
  ended_.outcome =
      sourir::describe(Config(), {.status = StepStatus::AtLimit, .limit = Limit::Depth});
  escape();
}

void Machine::dropped_exit() {
  if (hooks_.warn)
    hooks_.warn(
        "native code has reached an exit, or a bailout, which --tier exit-code=drop has left "
        "out: the run ends here");
  ended_.outcome.kind = OutcomeKind::Interrupted;
  escape();
}

void Machine::leave_native_code(std::uint64_t instruction) {
  left_ = cache_.code_at_signal(instruction);
  if (left_ != nullptr) escape();
}

// For people; with the lock of the names held.
std::string Machine::what_runs(const NativeCode& code) const {
  const OptimizedVersion* const version = cache_.version_of(*code.code);
  if (version == nullptr || !version->outlined_from)
    return version_name(*code.code, program_.names());
  const auto& loop = *version->outlined_from;
  return "the loop at " + position_name(*loop.from, loop.head, program_.names());
}

void Machine::run_main() {
  const ResolvedVersion& version = version_for(program_.main(), interpreter_.values.begin());
  interpreter_.run_main(version, native_entry(version));
}

EngineStatistics Machine::statistics() {
  EngineStatistics s;
  for (const Function& source : program_.source().functions) {
    const FunctionCell& f = interpreter_.cells()[source.name.id];
    s.calls += f.calls;
    if (!f.dispatch) continue;
    s.misplaced_versions += misplaced_versions(*f.dispatch);
    if (f.dispatch->by_tiers) {
      const ResolvedVersion& base = *f.fun->dispatch.front();
      const auto parameters = std::span(base.slots).first(base.parameters);
      for (const CodeCache::ContextCalls& c : cache_.context_calls(f))
        s.dispatched.push_back({.version = &base,
                                .calls = c.calls,
                                .direct = c.direct,
                                .by_tiers = true,
                                .when = *c.context.guards(parameters)});
      continue;
    }
    for (std::size_t i = 0; i < f.dispatch->entries.size(); ++i) {
      const DispatchTable::Entry& entry = f.dispatch->entries[i];
      s.dispatched.push_back(
          {f.fun->dispatch[i], entry.tested_calls + entry.direct_calls, entry.direct_calls});
    }
  }
  const auto left = static_cast<std::uint64_t>(interpreter_.registers.until_asked);
  s.opportunities = asked_ - left - forcing_;
  s.forced = forced_ - forcing_;
  s.prints = interpreter_.statistics().prints;
  s.reads = interpreter_.statistics().reads;
  const DeoptStatistics& deopt = deoptimizer_.statistics();
  s.exits = deopt.exits;
  s.exits_to_native = deopt.exits_to_native;
  s.dispatched_exits = deopt.dispatched;
  s.dispatch_misses = deopt.dispatch_misses;
  s.outside_context = deopt.outside_context + outside_context_;
  s.cascades = deopt.cascades;
  s.longest_cascade = deopt.longest_cascade;
  s.osr_entries = deopt.osr_entries;
  s.bailouts = bailouts_;
  s.arrays = interpreter_.heap.allocated();
  s.watchpoints = interpreter_.heap.watchpoints_set();
  s.watchpoints_invalidated = interpreter_.heap.invalidated();
  // The report first: code that it lists is among what is compiled, also if the compiler goes on.
  const TieringStatistics tiers = tiering_.statistics();
  if (sampling_.on()) ended_.sampling = sampling_.report(tiers);
  const CodeCacheStatistics code = cache_.statistics();
  s.compiled = code.compiled;
  s.machine_code_bytes = code.machine_code_bytes;
  s.freed = code.freed;
  s.optimized = code.optimized;
  s.code_invalidated = tiers.invalidated;
  s.most_exits = tiers.most_exits;
  s.compile_seconds = tiers.compile_seconds;
  s.continuations = tiers.continuations;
  s.verified = tiers.verified;
  s.differing = tiers.differing;
  s.undecided = tiers.undecided;
  return s;
}

// --- Running, and calls by the native convention ---

EngineRun Machine::run(const std::byte* low) {
  stack_low_ = low;
  sampling_.begin(__builtin_frame_address(0));
  if (setjmp(escape_) == 0) run_main();
  sampling_.end();
  if (left_ != nullptr) {
    const std::lock_guard names(names_.mutex);
    ended_.left_native_code = true;
    ended_.outcome.kind = OutcomeKind::Interrupted;
    ended_.outcome.message = "stopped in native code of " + what_runs(*left_);
  }
  ended_.statistics = statistics();
  if (hooks_.ended) {
    const std::vector<TierCounts> counts = tiering_.counts();
    const std::lock_guard names(names_.mutex);
    hooks_.ended(counts);
  }
  ended_.events = interpreter_.events();
  if (settings_.keeps_feedback)
    ended_.feedback =
        recorded_feedback(program_, feedback_, interpreter_.cells(), settings_.speculation);
  return std::move(ended_);
}

namespace {

using Caller = NativeResult (*)(void* entry, std::int64_t depth, const Value* arguments);

template <std::size_t n>
NativeResult call_with(void* entry, std::int64_t depth, const Value* v) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    using Word = std::uint64_t;
    [[maybe_unused]] const auto word = [&](std::size_t at) {
      return at % 2 == 0 ? v[at / 2].bits() : static_cast<Word>(v[at / 2].tag());
    };
    using Entry = NativeResult (*)(std::int64_t, std::conditional_t<i == i, Word, Word>...);
    return reinterpret_cast<Entry>(entry)(depth, word(i)...);
  }(std::make_index_sequence<2 * n>());
}

constexpr auto kCallers = []<std::size_t... n>(std::index_sequence<n...>) {
  return std::array<Caller, sizeof...(n)>{call_with<n>...};
}(std::make_index_sequence<kMostNativeParameters + 1>());

} // namespace

NativeResult call_native_code(void* entry, std::int64_t depth, const Value* arguments,
                              std::uint32_t n) {
  return kCallers[n](entry, depth, arguments);
}

} // namespace sourir::native
