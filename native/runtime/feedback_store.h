// The type feedback of a running program: what the interpreter records at the positions of versions
// (site_feedback.h), and the types of the arguments that functions are called with.
//
// Owns: the feedback itself; the instructions of the interpreter point into it.
// Never: knows tiers, thresholds or native code; decides that feedback is used or reset.
// Threads: the thread of the program only. The compiler gets a FeedbackSnapshot, a copy.
#pragma once

#include "native/runtime/optimized_version.h"
#include "native/runtime/site_feedback.h"
#include "profiler/sampled_code.h"
#include "sourir/semantics/resolved.h"

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace sourir::native {

// Feedback at one moment, for the compiler.
struct FeedbackSnapshot {
  std::unordered_map<const ResolvedVersion*, std::vector<SiteFeedback>> sites; // by position
  std::vector<TypeSet> parameters; // of the function that is compiled; empty: not known

  // Empty: the version is not part of it.
  std::span<const SiteFeedback> of(const ResolvedVersion& version) const {
    const auto at = sites.find(&version);
    return at == sites.end() ? std::span<const SiteFeedback>() : at->second;
  }
  // Positions with at least so many samples have the sampled types instead of the recorded ones.
  // `places`: by position of the code; of a parameter: its number instead of a position.
  void override_with_samples(const profiler::SampledCode& code, std::span<const SitePlace> places,
                             std::uint32_t min_samples);
};

class FeedbackStore {
public:
  // The instructions of a version remember what they recorded: called after a reset, so that they
  // record again. May be empty.
  using OnReset = std::function<void(const ResolvedVersion&)>;
  void on_reset(OnReset call) { on_reset_ = std::move(call); }

  // One record a position, to be written; made when it is first asked for. The records of a version
  // never move until drop().
  std::span<SiteFeedback> recording(const ResolvedVersion& version);
  // Empty: nothing was recorded of it.
  std::span<const SiteFeedback> recorded(const ResolvedVersion& version) const;
  // Of an optimized version: its own feedback, merged into that it was made for (`inherited`). One
  // record a position; of a version that has not run: positions that were never reached.
  std::vector<SiteFeedback> merged(const ResolvedVersion& version,
                                   std::span<const SiteFeedback> inherited) const;

  // A value of this type came to the position, as if the instruction there had bound it.
  void add_result(const ResolvedVersion& version, Pc pc, Tag tag);
  // A function was called with these, or an activation of it begun.
  void add_arguments(FunName function, std::span<const Value> arguments);
  // By parameter; empty: no call was recorded.
  std::vector<TypeSet> parameters(FunName function) const;

  // Adds the feedback of an optimized version to the places that its instructions come from.
  void propagate(const OptimizedVersion& version);
  // The feedback is empty again.
  void reset(const ResolvedVersion& version);
  void reset_arguments(FunName function);
  // The version is released: precondition: no activation uses it, now or later.
  void drop(const ResolvedVersion& version);

private:
  std::unordered_map<const ResolvedVersion*, std::vector<SiteFeedback>> sites_;
  std::unordered_map<FunName, std::vector<TypeSet>> parameters_;
  OnReset on_reset_;
};

} // namespace sourir::native
