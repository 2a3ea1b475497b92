// Type feedback in terms of the language: predicates that passes may speculate on
// (docs/passes/speculate.md), the feedback of a job, and the types of live variables.
// Threads: any, but for recorded_feedback(), JobFeedback::add() and live_types(): of the program.
#pragma once

#include "native/runtime/code_cache.h"
#include "native/runtime/feedback_store.h"
#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/feedback.h"

#include <set>
#include <span>

namespace sourir::native {

// What feedback is used for, in predicates and in native code.
struct SpeculationOptions {
  bool types = true, branches = true, targets = true;
  // Parts of `types`: of arguments and of variables at OSR entries; of elements that are loaded; of
  // all other values.
  bool arguments = true, loads = true, results = true;
  bool storage = true;             // of arrays
  bool unreached = true;           // code that was never executed is not compiled
  std::uint32_t sure_branch = 100; // executions of a one-sided branch until it is speculated on
};

// sites: one a position of `code` (more are ignored); parameters: the types of the arguments so
// far. Branches that have never exited their loop give no predicate: the loop ends eventually.
Feedback feedback_predicates(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
                             std::span<const TypeSet> parameters,
                             const SpeculationOptions& options);

// Adds Feedback::results and unreached of a version that is entered at `start`. Code after a call
// that has not returned yet is not unreached, unless the function was never called.
void add_results(Feedback& feedback, const ResolvedVersion& code,
                 std::span<const SiteFeedback> sites, Pc start,
                 const std::set<FunName>& never_called);

// Removes predicates on the elements of arrays in parameters that the context of the calls
// contradicts: other calls have recorded them.
void remove_contradicted(Feedback& feedback, FunName function, std::span<const Expr> context);

// What the baseline has recorded about the versions of the program; without samples, and without
// what optimized versions were made from. cells: by the id of the function's name.
FeedbackFile recorded_feedback(const LinkedProgram& program, const FeedbackStore& store,
                               const FunctionCell* cells, const SpeculationOptions& options);

// The feedback of a job: of its version and of the callees, and the predicates that follow.
class JobFeedback {
public:
  static constexpr int kCalleeLevels = 3; // of calls whose feedback is part of a snapshot

  // cells: by the id of the function's name.
  JobFeedback(const LinkedProgram& program, const FeedbackStore& store, const CodeCache& cache,
              const FunctionCell* cells, const SpeculationOptions& options)
      : program_(program), store_(store), cache_(cache), cells_(cells), options_(options) {}

  // Adds the feedback of the version, and of its callees to this many levels.
  void add(FeedbackSnapshot& snapshot, const ResolvedVersion& version, int levels) const;
  // Adds that of the functions that the context of the job's calls names: those will be called.
  void add_functions(FeedbackSnapshot& snapshot, std::span<const Expr> context) const;
  // Replaces recorded feedback by the samples of earlier code. `entered`: where the job's versions
  // are entered. Samples of a version apply to it and to callees that are only called through it.
  void add_samples(FeedbackSnapshot& snapshot, std::span<const SitePlace> entered) const;
  // Of the version, which is entered at `start`: types, branches and targets; of the callees:
  // targets only; results and unreached code of all.
  Feedback predicates(const ResolvedVersion& version, const FeedbackSnapshot& snapshot,
                      Pc start) const {
    const SitePlace entered{&version, start};
    return predicates({&entered, 1}, snapshot);
  }
  // The same of versions that are entered in the midst, as frames of one stack.
  Feedback predicates(std::span<const SitePlace> entered, const FeedbackSnapshot& snapshot) const;

  // Removes the feedback that the options do not use.
  void restrict_to_options(FeedbackSnapshot& snapshot) const;
  bool uses_entry_types() const { return options_.arguments; }

private:
  void restrict_to_options(const ResolvedVersion& version, std::vector<SiteFeedback>& sites) const;
  std::vector<SiteFeedback> merged(const ResolvedVersion& version) const;
  std::vector<const ResolvedVersion*> callees(const SitePlace& entered,
                                              std::span<const SiteFeedback> sites) const;
  std::vector<const ResolvedVersion*> reached(const FeedbackSnapshot& snapshot,
                                              std::span<const SitePlace> entered,
                                              const ResolvedVersion* without) const;

  const LinkedProgram& program_;
  const FeedbackStore& store_;
  const CodeCache& cache_;
  const FunctionCell* const cells_;
  const SpeculationOptions& options_;
};

// The types of the live variables of an activation, by slot; Unbound: not live. Empty: the place is
// unreachable.
std::vector<Tag> live_types(const ResolvedVersion& version, Pc pc, const Value* slots);

} // namespace sourir::native
