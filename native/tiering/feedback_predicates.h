// Type feedback in terms of the language: what the baseline has recorded of a version, as
// predicates that passes may speculate on (docs/passes/speculate.md).
#pragma once

#include "native/runtime/code_cache.h"
#include "native/runtime/feedback_store.h"
#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/feedback.h"

#include <span>

namespace sourir::native {

struct SpeculationOptions {
  bool types = true, branches = true, targets = true;
  std::uint32_t sure_branch = 100; // how often one must have gone the same way
};

// sites: one a position of `code` (more are ignored); parameters: the types with which calls
// entered. Branches that have only ever stayed in their loop are left out: it will end some day.
Feedback feedback_predicates(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
                             std::span<const TypeSet> parameters,
                             const SpeculationOptions& options);

// The feedback for a job of the compiler: the feedback of it and of what it calls, and the
// predicates that follow.

class JobFeedback {
public:
  static constexpr int kCalleeLevels = 3; // whose feedback is part of a snapshot

  JobFeedback(const LinkedProgram& program, const FeedbackStore& store, const CodeCache& cache,
              const SpeculationOptions& options)
      : program_(program), store_(store), cache_(cache), options_(options) {}

  // Adds the feedback of the version, and of what it calls, so many levels down. Thread: of the
  // program.
  void add(FeedbackSnapshot& snapshot, const ResolvedVersion& version, int levels) const;
  // Of the version, by types, branches and targets; of what it calls, by targets: their types are
  // tested in place. Any thread.
  Feedback predicates(const ResolvedVersion& version, const FeedbackSnapshot& snapshot) const;

private:
  std::vector<SiteFeedback> merged(const ResolvedVersion& version) const;

  const LinkedProgram& program_;
  const FeedbackStore& store_;
  const CodeCache& cache_;
  const SpeculationOptions& options_;
};

// The types of the live variables of an activation, by slot; Unbound: not live. Empty: the place is
// unreachable.
std::vector<Tag> live_types(const ResolvedVersion& version, Pc pc, const Value* slots);

} // namespace sourir::native
