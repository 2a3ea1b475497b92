// One job of the compiler: from a copy of the feedback to an optimized version and its native code.
//
// A CompileJob owns copies of all that changes while the program runs; the JobCompiler owns the
// compiler of native code. Neither sees the running program: not its stacks, its heap, nor its
// function cells. They install nothing.
// Threads: the JobCompiler is used by one thread at a time (the compiler's; without one, and before
// the program starts, the program's). A job belongs to the program until it is posted.
#pragma once

#include "native/runtime/code_cache.h"
#include "native/runtime/feedback_store.h"
#include "native/runtime/shared_names.h"
#include "native/tiering/native_settings.h"
#include "sourir/semantics/config.h"

namespace sourir::native {

struct CompileJob {
  enum class Kind : std::uint8_t {
    Function,     // entered by calls
    Loop,         // entered at the header of a loop that runs
    Continuation, // entered at the place that an exit leads to
  };
  Kind kind = Kind::Function;
  const ResolvedVersion* version = nullptr;     // Function: the active one
  Pc pc = 0;                                    // Loop, Continuation: where it is entered
  std::vector<const ResolvedVersion*> versions; // compiled where there is no optimized version
  bool calls_itself = false; // calls of the function enter the one version that is compiled
  bool speculates = true;    // relies on feedback
  bool optimizes = false;    // the optimizer runs first
  Feedback predicates;       // for the optimizer
  FeedbackSnapshot feedback;
  // Types on entry: Function: by parameter; otherwise of the live variables, by slot. Unbound: any.
  std::vector<Tag> entry_types;
  profiler::SampledCode* stale = nullptr; // whose samples caused the job; null: none
  // The state that requested it, in its one frame: for the verifier.
  std::optional<Config> state;
};

struct CompileResult {
  std::unique_ptr<OptimizedVersion> version; // null: the versions of the job were compiled
  std::vector<CompileRequest> requests;      // of `code`; feedback refers to `version` and the job
  std::vector<std::unique_ptr<NativeCode>> code; // of the job, then continuations
  std::size_t of_job = 0;                        // the first so many
  double milliseconds = 0;                       // of LLVM, as reported
  double seconds = 0;                            // of LLVM, with what it takes to start it
  std::optional<Verified> verified;              // empty: not verified
};

struct JobCompilerContext {
  const LinkedProgram& program;
  const NativeSettings& settings;
  SharedNames& names;
  // Which places can be entered already, and where code that is made later will be.
  CodeCache& cache;
  const TieringHooks& hooks;
  CompileOptions options;
  bool continuations = true; // exits may continue in native code
  std::function<std::unique_ptr<NativeCompiler>()> make_compiler;
  // The record for code that is sampled, by the name of its version; empty: none is.
  std::function<profiler::SampledCode*(const std::string& version)> sampled_code;
};

class JobCompiler {
public:
  explicit JobCompiler(JobCompilerContext context) : context_(std::move(context)) {}

  // Throws what the compiler throws.
  CompileResult run(CompileJob& job);
  // All of these, with continuations for their exits where enabled. The same.
  CompileResult compile_all(std::vector<CompileRequest> requests);

private:
  std::unique_ptr<OptimizedVersion> optimized(const CompileJob& job);
  Verified verdict(const CompileJob& job, const OptimizedVersion& version);
  std::vector<CompileRequest> requests_of(CompileJob& job, const OptimizedVersion* version);
  void add_continuations(std::vector<CompileRequest>& requests, const CompileJob& job) const;
  std::vector<TierUpLoop> tier_up_loops(const ResolvedVersion& version, Pc start) const;
  void sample(CompileRequest& request) const;
  void compile(CompileResult& result);

  JobCompilerContext context_;
  std::unique_ptr<NativeCompiler> compiler_; // made for the first job
};

} // namespace sourir::native
