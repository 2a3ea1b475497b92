// The jobs of OSR entries: loop headers, targets of exits, and continuations of deoptimization
// contexts. Each owns copies for the compiler thread.
// Never: begins a job. Threads: of the program.
#pragma once

#include "native/deopt/deoptimizer.h"
#include "native/deopt/reference_state.h"
#include "native/tiering/compile_job.h"
#include "native/tiering/feedback_predicates.h"

#include <functional>

namespace sourir::native {

class OsrJobs {
public:
  // Frames, the innermost first, as a state of the reference, for the verifier.
  using StateOf = std::function<Config(std::span<const FrameState>)>;

  OsrJobs(const NativeSettings& settings, const TieringPolicy& policy, const JobFeedback& feedback,
          bool optimizes, StateOf state_of)
      : settings_(settings), policy_(policy), feedback_(feedback), optimizes_(optimizes),
        state_of_(std::move(state_of)) {}

  // Loop, Continuation: from an activation with these slots.
  std::shared_ptr<CompileJob> at_place(CompileJob::Kind kind, const OsrEntry& entry,
                                       const CodeHistory& history, const Value* slots) const;
  // For a deoptimization context, from an exit of that context with these values of its variables;
  // adds: EntryFacts::adds.
  std::shared_ptr<CompileJob> at_exit(const DeoptContinuation& continuation,
                                      const DeoptEvent& event, const ExitDispatch& exit,
                                      const Value* values, bool adds) const;

  bool verifies() const { return settings_.verifier != nullptr && optimizes_; }
  // slots: the first `count` of the version's.
  Config state_at(const ResolvedVersion& version, Pc pc, const Value* slots,
                  std::size_t count) const;

private:
  const NativeSettings& settings_;
  const TieringPolicy& policy_;
  const JobFeedback& feedback_;
  const bool optimizes_;
  const StateOf state_of_;

  std::optional<TypeSet> add_frame(CompileJob& job, const DeoptContext& context,
                                   std::uint32_t frame, const std::vector<bool>& offending,
                                   bool adds, std::optional<TypeSet> result) const;
};

} // namespace sourir::native
