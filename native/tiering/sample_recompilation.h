// Recompilation of stale code: the same job with the sampled types instead of the recorded ones
// (paper 4.2; thesis 4.4).
//
// Owns: the places of the program that sampled code has slots for, and recompiled code until the
// thread of the program installs it.
// Never: decides that code is recompiled or reinstated (tiering_policy.h), or installs any.
// Threads: any that holds the lock of the tiers.
#pragma once

#include "native/runtime/sampled_codes.h"
#include "native/runtime/site_feedback.h"
#include "native/tiering/compile_job.h"
#include "native/tiering/feedback_predicates.h"
#include "sourir/semantics/resolved.h"

#include <span>
#include <vector>

namespace sourir::native {

class SampleRecompilation {
public:
  // What a sampled code object was compiled from.
  struct Origin {
    std::shared_ptr<const CompileJob> job;
    const NativeCode* code = nullptr;
    CompileRequest request;
    std::vector<SitePlace> places; // by SampledPosition; of a parameter: its number or slot as Pc
  };
  // A recompilation that is not installed yet.
  struct Finished {
    std::shared_ptr<CompileJob> job;
    std::unique_ptr<OptimizedVersion> version; // may be null
    std::vector<const NativeCode*> code;
  };

  SampleRecompilation(const LinkedProgram& program, SampledCodes& codes,
                      const profiler::Thresholds& thresholds)
      : program_(program), codes_(codes), thresholds_(thresholds) {}

  // From now on the code is sampled. Preconditions: it has not been entered yet; the lock of the
  // names is held, too. version: null: the code is of the job's versions, and relies on no types.
  void begin(std::shared_ptr<const CompileJob> job, const OptimizedVersion* version,
             const NativeCode& code, const CompileRequest& request,
             std::uint32_t failed_recompilations);
  // Null: the code is not sampled, or about to be freed.
  const Origin* origin(const profiler::SampledCode& code) const;
  // The job of stale code with the types of its samples.
  std::shared_ptr<CompileJob> job(const profiler::SampledCode& stale,
                                  const JobFeedback& feedback) const;
  // The sampled types of values that instructions bind, and of elements of arrays.
  std::vector<SampledSite> told(const profiler::SampledCode& stale) const;

  void keep(const profiler::SampledCode& stale, Finished finished);
  bool is_finished(const profiler::SampledCode& stale) const { return finished_.contains(&stale); }
  std::optional<Finished> take(const profiler::SampledCode& stale);
  // The code is about to be freed.
  void remove(const profiler::SampledCode& code);

private:
  void add_position(const Origin& origin, const SiteFeedback* sites, const SampleSlot& slot,
                    const SitePlace& place, profiler::SampledCode& sampled) const;
  void sampled_entry_types(CompileJob& job, const profiler::SampledCode& stale,
                           const Origin& from) const;

  const LinkedProgram& program_;
  SampledCodes& codes_;
  const profiler::Thresholds& thresholds_;
  std::unordered_map<const profiler::SampledCode*, Origin> origins_;
  std::unordered_map<const profiler::SampledCode*, Finished> finished_;
};

} // namespace sourir::native
