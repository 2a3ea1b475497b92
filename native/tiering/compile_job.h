// A job of the compiler: from a copy of the feedback to an optimized version and its native code.
//
// Owns: a CompileJob copies of all that changes while the program runs; the JobCompiler the
// compiler of native code.
// Never: reads the stacks, the heap or the function cells of the running program; installs code.
// Threads: the JobCompiler is used by one thread at a time (the compiler's; without one, and before
// the program starts, the program's). Until posted, a job is the program's.
#pragma once

#include "native/deopt/deopt_context.h"
#include "native/runtime/code_cache.h"
#include "native/runtime/feedback_store.h"
#include "native/runtime/shared_names.h"
#include "native/tiering/native_settings.h"
#include "sourir/semantics/config.h"

#include <unordered_set>

namespace sourir::native {

struct CompileJob {
  enum class Kind : std::uint8_t {
    Function,     // entered by calls
    Loop,         // entered by OSR at a loop header
    Continuation, // entered by OSR at the target of an exit
  };
  Kind kind = Kind::Function;
  const ResolvedVersion* version = nullptr; // Function: the active one
  Pc pc = 0;                                // Loop, Continuation: where it is entered,
  std::uint32_t number = 0;                 // and OsrEntry::number
  // Continuation: the context of the exits that enter it; null: it is entered by all. There is no
  // code of it but that of an optimized version.
  const DeoptContext* context = nullptr;
  std::vector<const ResolvedVersion*> versions; // compiled where there is no optimized version
  FunctionCell* dispatched = nullptr; // Function: its dispatcher is compiled, too; null: it is not
  // Function: the version is for calls of this context, which `when` says; none: for all calls.
  std::optional<Context> call_context;
  std::vector<Expr> when;
  DispatchTable::Entry* entry = nullptr; // of these calls; null: the job adds it to the table
  bool calls_itself = false; // all calls of the function enter the version that is compiled
  bool speculates = true;    // uses feedback
  bool optimizes = false;    // runs the optimizer
  // When it was requested, since the last invalidation: calls of the function, iterations of the
  // loop, exits to the target.
  std::uint64_t counted = 0;
  std::uint32_t invalidations = 0; // before the request
  Feedback predicates;             // for the optimizer
  FeedbackSnapshot feedback;
  // Types on entry: Function: by parameter; otherwise of the live variables, by slot. Unbound: any.
  std::vector<Tag> entry_types;
  std::vector<std::vector<Tag>> outer_entry_types; // of the outer frames of `context`, by slot
  profiler::SampledCode* stale = nullptr;          // the code it replaces; null: not for samples
  // For the verifier: states of one frame that led there, the last one to the job.
  std::vector<Config> states;
};

struct CompileResult {
  std::unique_ptr<OptimizedVersion> version;     // null: the versions of the job were compiled
  std::vector<CompileRequest> requests;          // of `code`
  std::vector<std::unique_ptr<NativeCode>> code; // of the job, then continuations
  std::size_t of_job = 0;                        // how many of `code` are of the job
  std::vector<std::pair<FunctionCell*, std::unique_ptr<NativeCode>>> dispatchers;
  double milliseconds = 0;          // of LLVM, as reported
  double seconds = 0;               // of LLVM
  double processor_seconds = 0;     // of LLVM, of the thread
  std::optional<Verified> verified; // empty: the verifier did not run
  std::optional<Refusal> refused;   // of an optimized version; empty: none was
  std::unique_ptr<const OptimizedVersion> refused_version; // what was refused
};

struct JobCompilerContext {
  const LinkedProgram& program;
  const NativeSettings& settings;
  SharedNames& names;
  CodeCache& cache; // for OSR entries, with or without code
  const TieringHooks& hooks;
  CompileOptions options;
  bool continuations = true; // exits may continue in native code
  std::function<std::unique_ptr<NativeCompiler>()> make_compiler;
  // A new record for code to be sampled, by the name of its version; empty: no code is sampled.
  std::function<profiler::SampledCode*(const std::string& version)> sampled_code;
};

// Instructions to be compiled: those of the body, and those that exits defer.
std::size_t compiled_size(const ResolvedVersion& version);

class JobCompiler {
public:
  explicit JobCompiler(JobCompilerContext context) : context_(std::move(context)) {}

  // Throws what the compiler throws.
  CompileResult run(CompileJob& job);
  // All of these, with continuations for their exits where the settings ask for them, and the
  // dispatchers of these functions. Throws alike.
  CompileResult compile_all(std::vector<CompileRequest> requests,
                            std::span<FunctionCell* const> dispatched);
  // The instrumented code for this request of code that is not, slow or not. Throws alike.
  CompileResult compile_instrumented(CompileRequest request, bool slow);

private:
  std::unique_ptr<OptimizedVersion> optimized(const CompileJob& job);
  // Drops the optimized version of the result, unless it may be used.
  void check_version(const CompileJob& job, CompileResult& result);
  void add_to_table(CompileJob& job, const CompileResult& result);
  bool is_too_large(const CompileJob& job, const OptimizedVersion& version);
  Verified verdict(const CompileJob& job, const OptimizedVersion& version);
  std::vector<CompileRequest> requests_of(CompileJob& job, const OptimizedVersion* version);
  void add_continuations(std::vector<CompileRequest>& requests) const;
  std::vector<TierUpLoop> tier_up_loops(const ResolvedVersion& version, Pc start) const;
  std::vector<TierUpLoop> loops_of_origin(const CompileJob& job, OptimizedVersion& version) const;
  void sample(CompileRequest& request) const;
  void compile(CompileResult& result);
  void record_events(const CompileResult& result) const;
  void record_events(const NativeCode& dispatcher) const;
  void compile_dispatchers(std::span<FunctionCell* const> functions, CompileResult& result);

  JobCompilerContext context_;
  std::unique_ptr<NativeCompiler> compiler_;             // made for the first job
  std::unordered_set<const ResolvedVersion*> too_large_; // warned about
};

} // namespace sourir::native
