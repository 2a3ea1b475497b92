// The type feedback of a running program: the interpreter's records at the positions of versions
// (site_feedback.h), and the types of the arguments of functions; snapshots for the compiler.
//
// Owns: the feedback itself; the instructions of the interpreter point into it.
// Never: knows tiers, thresholds or native code; decides that feedback is used or reset.
// Threads: the thread of the program only. Compiler threads get a FeedbackSnapshot, a copy.
#pragma once

#include "native/runtime/optimized_version.h"
#include "native/runtime/site_feedback.h"
#include "profiler/sampled_code.h"
#include "sourir/semantics/resolved.h"

#include <functional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace sourir::native {

// The sampled types of a position, in the version of the sampled code or in one inlined into it.
// With `elements` they are types of the elements of the array accessed there; nil: of any type.
struct SampledSite {
  SitePlace place;
  bool elements = false;
  TypeSet types;
};
// Those with at least `min_samples` samples, without parameters. `places`: one for each position.
std::vector<SampledSite> sampled_sites(const profiler::SampledCode& code,
                                       std::span<const SitePlace> places,
                                       std::uint32_t min_samples);

// A copy of feedback for a compile job.
struct FeedbackSnapshot {
  std::unordered_map<const ResolvedVersion*, std::vector<SiteFeedback>> sites; // by position
  std::vector<TypeSet> parameters; // of the function that is compiled; empty: unknown
  std::set<FunName> never_called;  // functions that these versions call by name
  // The sites whose types are samples of earlier code, with the version of that code.
  std::vector<std::pair<const ResolvedVersion*, SampledSite>> sampled;

  // Empty: the version is not part of it.
  std::span<const SiteFeedback> of(const ResolvedVersion& version) const {
    const auto at = sites.find(&version);
    return at == sites.end() ? std::span<const SiteFeedback>() : at->second;
  }
  // Replaces the recorded types of positions with at least `min_samples` samples by the sampled
  // ones. `places`: one for each sampled position; of a parameter: its number instead of a Pc.
  void override_with_samples(const profiler::SampledCode& code, std::span<const SitePlace> places,
                             std::uint32_t min_samples);
  // False: its version is not part of the snapshot.
  bool override_with(const SampledSite& site);
};

class FeedbackStore {
public:
  // Called after each reset of a version, whose instructions cache what they recorded and must
  // record again. May be empty.
  using OnReset = std::function<void(const ResolvedVersion&)>;
  void on_reset(OnReset call) { on_reset_ = std::move(call); }

  // One record for each position, writable; created at the first request. The records of a version
  // do not move until drop().
  std::span<SiteFeedback> recording(const ResolvedVersion& version);
  // Empty: nothing was recorded.
  std::span<const SiteFeedback> recorded(const ResolvedVersion& version) const;
  // The feedback of an optimized version, added to that of its origins (`inherited`, may be empty).
  // One record for each position; those of a version without feedback are of unreached positions.
  std::vector<SiteFeedback> merged(const ResolvedVersion& version,
                                   std::span<const SiteFeedback> inherited) const;

  // Records the type of a value at the position, as if the instruction there had bound it.
  void add_result(const ResolvedVersion& version, Pc pc, Tag tag);
  // Records the storage of an array that the instruction there is about to access.
  void add_storage(const ResolvedVersion& version, Pc pc, const Array& a);
  // Records the arguments of a call, or of an activation that begins.
  void add_arguments(FunName function, std::span<const Value> arguments);
  // By parameter; empty: no call was recorded.
  std::vector<TypeSet> parameters(FunName function) const;

  // The samples for which code of the version was compiled again. Later samples of a position
  // replace earlier ones.
  void add_samples(const ResolvedVersion& version, std::span<const SampledSite> told);
  std::span<const SampledSite> samples(const ResolvedVersion& version) const;
  bool has_samples() const { return !samples_.empty(); }
  void drop_samples(const ResolvedVersion& version) { samples_.erase(&version); }

  // Adds the feedback of an optimized version to the origins of its instructions.
  void propagate(const OptimizedVersion& version);
  // Makes the feedback empty.
  void reset(const ResolvedVersion& version);
  void reset_arguments(FunName function);
  // For a version that is released. Precondition: no activation uses it, now or later.
  void drop(const ResolvedVersion& version);

private:
  std::unordered_map<const ResolvedVersion*, std::vector<SiteFeedback>> sites_;
  std::unordered_map<FunName, std::vector<TypeSet>> parameters_;
  std::unordered_map<const ResolvedVersion*, std::vector<SampledSite>> samples_;
  OnReset on_reset_;
};

} // namespace sourir::native
