// The manager of the tiers of a running program (docs/runtime.md): counts the events of functions,
// loops and targets of exits, asks the policy, and carries out its decisions.
//
//   interpreter, native code --event--> TieringManager --history--> TieringPolicy
//                                         |  decision: CompileJob --> CompilerThread, JobCompiler
//                                         v  result: code, version
//                                       CodeCache (install, invalidate, set aside, reinstate)
//
// Owns: the histories, the jobs, the compiler.
// Never: runs the program, or materializes frames; frees code that an activation may use.
// Threads: of the program, but for statistics() and stop(); jobs install their results on the
// thread of the compiler. Order of locks: the manager's before the code cache's and the names'.
#pragma once

#include "native/deopt/deoptimizer.h"
#include "native/runtime/native_code.h"
#include "native/tiering/call_entries.h"
#include "native/tiering/call_states.h"
#include "native/tiering/compile_job.h"
#include "native/tiering/compiler_thread.h"
#include "native/tiering/deoptless.h"
#include "native/tiering/function_contexts.h"
#include "native/tiering/instrumentation_budget.h"
#include "native/tiering/osr_jobs.h"
#include "native/tiering/sample_recompilation.h"

#include <unordered_set>

namespace sourir::native {

struct TieringContext {
  const LinkedProgram& program;
  const NativeSettings& settings;
  FunctionCell* cells = nullptr; // by the id of the function's name
  CodeCache& cache;
  FeedbackStore& feedback;
  SampledCodes& sampled;
  SharedNames& names;
  TieringHooks hooks;
  CompileOptions compile_options;
  bool dispatches = false; // the schedule decides which version a call enters
  std::function<std::unique_ptr<NativeCompiler>()> make_compiler;
  OsrJobs::StateOf state_of;
};

struct TieringStatistics {
  std::uint64_t invalidated = 0;
  // The most exits of the code of one function, loop or continuation while it was installed.
  std::uint64_t most_exits = 0;
  double compile_seconds = 0;
  std::uint64_t continuations = 0; // compiled for contexts of exits
  // Optimized versions that the verifier checked, by its verdict.
  std::uint64_t verified = 0, differing = 0, undecided = 0;
  // Code objects found stale, recompiled for it, reinstated; functions and loops abandoned: not
  // recompiled for samples any more.
  std::uint64_t stale = 0, recompiled = 0, reinstated = 0, abandoned = 0;
};

class TieringManager {
public:
  explicit TieringManager(TieringContext context);
  ~TieringManager();
  TieringManager(const TieringManager&) = delete;
  TieringManager& operator=(const TieringManager&) = delete;

  // Before the program runs. Engine::Native: compiles all versions; throws NoCompiler.
  void begin();
  // Precondition: the run is over. False: the compiler is still working and uses this object.
  bool stop() { return thread_.stop(); }

  // A function was called FunctionCell::hot_at times, now with these arguments. Returns the code
  // that this call enters; null: that of the function, if there is any.
  void* at_call(FunctionCell& f, const Value* arguments);
  // A loop has run this many more iterations. Returns the code to enter, or none.
  OsrCode at_loop_header(const ResolvedVersion& version, Pc head, std::int64_t iterations,
                         const Value* slots);
  // A materialized frame has got a result and resumes here, with these slots (unbound where not in
  // scope). Returns the code to enter, or none.
  OsrCode at_continuation(const ResolvedVersion& version, Pc pc, const Value* slots);
  // A dispatcher is entered with these arguments.
  void at_dispatch(FunctionCell& f, const Value* arguments);
  // Native code was exited. Returns the code to continue in, never the exited code, or none.
  // forced: the guards held, so the exit does not count against the code.
  OsrCode deoptimized(const DeoptEvent& event, bool forced);
  // Where the exit leads for a dispatch; null: it is never dispatched.
  const DeoptTarget* dispatch_target(const resolved::Exit& exit);
  // An exit is taken in this state. Returns the continuation for its context, or none.
  OsrCode dispatch(const DeoptEvent& event, ExitDispatch& exit, DeoptCause cause,
                   const Value* values);
  // Continuations took over this many exits whose guards failed.
  void count_taken_over(const DeoptEvent& event, std::uint64_t exits);
  // An exit resumes at this position: the argument types or the result there are feedback.
  void resumed(const ResolvedVersion& version, Pc pc, const Value* slots);
  // Sampled code has polled at a safepoint. True: there is newer code, and it exits.
  bool exits_stale_code(profiler::SampledCode& code);
  // Sampled code that is not instrumented has polled: compiles its instrumented code, once, as soon
  // as that costs little of the time.
  void needs_instrumented(profiler::SampledCode& code);
  // Frees invalidated code that no activation uses, with its optimized versions. drop: called for
  // each stream of these versions before it is freed.
  void free_unused(const CodeInUse& in_use,
                   const std::function<void(const ResolvedVersion&)>& drop);

  TieringStatistics statistics() const;
  // By function of the program, in its order; then by entry, as far as they were reached. Valid
  // until code is freed: for the end of a run.
  std::vector<TierCounts> counts();

private:
  // Dispatched calls between two samples. Not a multiple of small numbers: types of arguments often
  // alternate.
  static constexpr std::int64_t kCallsUntilReport = 4093;

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  using JobKind = CompileJob::Kind;
  using Unit = CodeUnit;
  struct FunctionUnit : Unit {
    CallStates states;                            // for the verifier
    std::vector<const ResolvedVersion*> compiled; // the versions whose code calls enter
    std::uint64_t calls_before = 0;               // FunctionCell::calls at the last invalidation
    std::unique_ptr<FunctionContexts> contexts;   // null: calls are not distinguished
  };
  // The input of the policy.
  const CodeHistory& history(Unit& unit) const;

  std::function<profiler::SampledCode*(const std::string&)> sampled_code();
  void begin_native();
  void compile_all();
  bool may_be_compiled(const ResolvedVersion& version);
  bool optimizes() const;
  bool has_continuations() const;
  bool counts_exits() const { return context_.settings.engine == NativeSettings::Engine::Auto; }
  bool is_quiet();
  void add_sample(std::unique_lock<std::mutex>& lock, FunctionCell& f, FunctionUnit& unit,
                  const Value* arguments);
  FunctionCell& cell(FunName name) const { return context_.cells[name.id]; }
  Unit& unit(const OsrEntry& entry) { return places_[&entry]; }
  OsrCode code_of(OsrEntry& entry) const { return {entry.code, entry.parameters, &entry}; }

  std::shared_ptr<CompileJob> function_job(const FunctionCell& f, const FunctionUnit& unit) const;
  void add_feedback(CompileJob& job, std::vector<TypeSet> parameters) const;
  // Warns, once for each version.
  bool is_too_large(const ResolvedVersion& version);
  TierCounts counts_of(const CodeHistory& h) const;
  void begin_job(std::unique_lock<std::mutex>& lock, std::shared_ptr<CompileJob> job);
  // Versions for contexts.
  bool makes_contexts(const FunctionCell& f) const;
  std::int64_t calls_until_report() const {
    return context_.settings.contexts.all_calls() ? 1 : kCallsUntilReport;
  }
  std::optional<Context> add_call(FunctionCell& f, FunctionUnit& unit, const Value* arguments);
  void begin_contexts(std::unique_lock<std::mutex>& lock, FunctionCell& f, FunctionUnit& unit);
  void* learn_rest(std::unique_lock<std::mutex>& lock, FunctionCell& f, FunctionUnit& unit,
                   const Value* arguments);
  void make_base(std::unique_lock<std::mutex>& lock, FunctionCell& f, FunctionUnit& unit);
  void make_versions(std::unique_lock<std::mutex>& lock, FunctionCell& f, FunctionUnit& unit,
                     const ContextPolicy::Decision& decision, const std::vector<Config>& states);
  std::vector<Feedback::Dispatched> dispatched_calls();
  void make_version(std::unique_lock<std::mutex>& lock, FunctionCell& f, FunctionUnit& unit,
                    std::size_t number, std::vector<Config> states);
  void refuse_version(const CompileJob& job);
  void remove_code(FunctionContexts::Version& version);
  void invalidate(FunctionContexts::Version& version);
  Unit& unit_of(const CompileJob& job);
  OsrCode enter(std::unique_lock<std::mutex>& lock, OsrEntry& entry, TieringPolicy::Entry decision,
                CompileJob::Kind kind, const Value* slots);
  OsrCode continuation(std::unique_lock<std::mutex>& lock, const ResolvedVersion& version, Pc pc,
                       const Value* slots, const NativeCode* exited);
  OsrEntry& tier_up_entry(const DeoptEvent& e);
  profiler::SampledCode* restore_entry(FunctionCell& f);
  // On the thread of the compiler.
  // expected: of the budget.
  void add_instrumented(profiler::SampledCode& sampled, const CompileRequest& request,
                        double expected);
  void run(const std::shared_ptr<CompileJob>& job);
  void compile(const std::shared_ptr<CompileJob>& job);
  void install(const std::shared_ptr<CompileJob>& job, CompileResult result);
  void count(const CompileResult& result);
  void add_results(CompileResult& result); // counts them, and adds their dispatchers
  void install_code(const CompileJob& job, std::unique_ptr<OptimizedVersion> version,
                    std::span<const NativeCode* const> made);
  void install_continuation(const NativeCode& code);

  void count_exit(const DeoptEvent& event);
  // Of code that is still entered: the count of it, and what invalidates it. Null: it is not.
  Unit* exited_unit(const DeoptEvent& event);
  void invalidate_exited(const DeoptEvent& event);
  bool invalidates(Unit& unit, bool of_assume);
  void invalidate(OsrEntry& entry, Unit& unit);
  void invalidate(FunctionCell& f, FunctionUnit& unit);
  void discard_set_aside(Unit& unit);
  void count_failed_recompilation(Unit& unit, const NativeCode& code);
  void add_failed_recompilation(Unit& unit);
  void propagate_feedback(const ResolvedVersion& version);
  void reinstate(Unit& unit, const OsrEntry* entry);
  // Recompilation for samples.
  Unit* unit_of(const SampleRecompilation::Origin& origin);
  void recompile(std::unique_lock<std::mutex>& lock, profiler::SampledCode& stale);
  void replace(const profiler::SampledCode& stale);
  void forget_samples(Unit& unit, const ResolvedVersion& version);
  void install_finished(const NativeCode& old);

  void report(const TierEvent& event) const;
  // Of a job that makes no code.
  void report_refused(const CompileJob& job, TierEvent event);
  OsrEntry* entry_of(const CompileJob& job); // null: calls
  void warn(std::string_view what) const;
  void warn_of(const ResolvedVersion& version, const std::string& what) const;

  TieringContext context_;
  const CallEntries call_entries_;
  const TieringPolicy policy_;
  const ContextPolicy context_policy_;
  const JobFeedback job_feedback_;
  const OsrJobs osr_jobs_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool quiet_ = true;
  JobCompiler compiler_;          // of the compiler thread
  bool without_compiler_ = false; // likewise: NoCompiler was reported
  mutable std::mutex mutex_;      // of all that follows
  std::unordered_map<const FunctionCell*, FunctionUnit> functions_;
  std::unordered_map<const OsrEntry*, Unit> places_;
  Deoptless deoptless_;
  std::unordered_set<const ResolvedVersion*> too_large_; // warned about
  const NativeCode* forced_out_ = nullptr; // by the last forced exit: not entered right away
  SampleRecompilation recompilation_;
  TieringStatistics statistics_;
  InstrumentationBudget instrumentation_;
  CompilerThread thread_; // last: its job ends before the rest is destroyed
};

} // namespace sourir::native
