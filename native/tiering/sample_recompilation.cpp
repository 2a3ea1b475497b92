#include "native/tiering/sample_recompilation.h"

#include "native/tiering/type_inference.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir::native {

using profiler::SampledCode;
using profiler::SampledPosition;

namespace {

// The place of the running program whose feedback a slot samples; of a parameter: its slot there.
std::optional<SitePlace> place_of(const CompileJob& job, const OptimizedVersion* version,
                                  const NativeCode& code, const SampleSlot& slot) {
  if (!slot.parameter)
    return version != nullptr ? version->origins[slot.at]
                              : std::optional<SitePlace>({code.code, slot.at});
  if (job.kind == CompileJob::Kind::Function) return SitePlace{job.version, slot.at};
  if (version == nullptr) return {};
  return SitePlace{job.version, version->entered_with[slot.at]};
}

// The types that code was compiled for: of an instruction, the elements of an array, an argument,
// or a variable on OSR entry.
TypeSet used_at(const SiteFeedback* sites, const CompileJob& job, const SampleSlot& slot,
                Slot variable) {
  if (slot.storage) return sites != nullptr ? element_types(sites[slot.at].storages) : TypeSet{};
  if (!slot.parameter) return sites != nullptr ? sites[slot.at].result : TypeSet{};
  const std::vector<TypeSet>& parameters = job.feedback.parameters;
  if (slot.at < parameters.size()) return parameters[slot.at];
  const std::vector<Tag>& types = job.entry_types;
  const bool known = variable < types.size() && types[variable] != Tag::Unbound;
  return known ? type_set(types[variable]) : TypeSet{};
}

} // namespace

void SampleRecompilation::add_position(const Origin& origin, const SiteFeedback* sites,
                                       const SampleSlot& slot, const SitePlace& place,
                                       SampledCode& sampled) const {
  SampledPosition position{
      .pc = place.second, .parameter = slot.parameter, .elements = slot.storage};
  const ResolvedVersion& from = *place.first;
  position.place = print(from.place(slot.parameter ? 0 : place.second), program_.names());
  const std::optional<Slot> x = slot.parameter ? place.second
                                : slot.storage ? accessed_array(from.instrs[place.second])
                                               : bound_by(from.instrs[place.second]);
  position.what = x ? program_.names().text(from.slots[*x]) : "";
  position.used = used_at(sites, *origin.job, slot, place.second);
  sampled.positions.push_back(std::move(position));
}

void SampleRecompilation::begin(std::shared_ptr<const CompileJob> job,
                                const OptimizedVersion* version, const NativeCode& code,
                                const CompileRequest& request,
                                std::uint32_t failed_recompilations) {
  SampledCode& sampled = *code.sampled;
  Origin origin{std::move(job), &code, request, {}};
  const SiteFeedback* const sites = version != nullptr ? version->sites.data() : nullptr;
  for (const SampleSlot& slot : code.sample_slots) {
    sampled.slots.push_back(profiler::kNoPosition);
    const auto place = place_of(*origin.job, version, code, slot);
    if (!place) continue;
    const auto same = [&](const SampledPosition& p) {
      const std::size_t n = static_cast<std::size_t>(&p - sampled.positions.data());
      return p.parameter == slot.parameter && p.elements == slot.storage &&
             origin.places[n] == *place;
    };
    auto at = std::ranges::find_if(sampled.positions, same);
    if (at == sampled.positions.end()) {
      add_position(origin, sites, slot, *place, sampled);
      origin.places.push_back(*place);
      at = std::prev(sampled.positions.end());
    }
    sampled.slots.back() = static_cast<std::uint16_t>(at - sampled.positions.begin());
  }
  sampled.entry = code.entry;
  sampled.begin = code.begin;
  sampled.size = code.size;
  sampled.replaces_stale = origin.job->stale != nullptr;
  sampled.failed_recompilations = failed_recompilations;
  origins_[&sampled] = std::move(origin);
  codes_.publish(sampled);
}

const SampleRecompilation::Origin* SampleRecompilation::origin(const SampledCode& code) const {
  const auto at = origins_.find(&code);
  return at == origins_.end() ? nullptr : &at->second;
}

// Positions with min_samples have the sampled types; the rest is inferred.
std::shared_ptr<CompileJob> SampleRecompilation::job(const SampledCode& stale,
                                                     const JobFeedback& feedback) const {
  const Origin& from = origins_.at(&stale);
  auto job = std::make_shared<CompileJob>(*from.job);
  const std::uint32_t min_samples = stale.min_samples(thresholds_);
  job->feedback.override_with_samples(stale, from.places, min_samples);
  const ResolvedVersion& active = *job->versions.front();
  for (auto& [version, sites] : job->feedback.sites)
    infer_types(*version,
                version == &active ? std::span<const TypeSet>(job->feedback.parameters)
                                   : std::span<const TypeSet>(),
                sites);
  feedback.restrict_to_options(job->feedback);
  job->predicates = {};
  if (job->optimizes) job->predicates = feedback.predicates(active, job->feedback, job->pc);
  sampled_entry_types(*job, stale, from);
  return job;
}

// The entry types of a loop are those that its iterations bind to the variables.
void SampleRecompilation::sampled_entry_types(CompileJob& job, const SampledCode& stale,
                                              const Origin& from) const {
  const std::vector<TypeSet>& parameters = job.feedback.parameters;
  if (job.kind == CompileJob::Kind::Function) {
    for (std::size_t p = 0; p < parameters.size() && p < job.entry_types.size(); ++p)
      job.entry_types[p] = only_tag(parameters[p]);
    return;
  }
  std::unordered_map<Slot, TypeSet> bound, on_entry;
  const std::uint32_t min_samples = stale.min_samples(thresholds_);
  for (std::size_t i = 0; i < stale.positions.size(); ++i) {
    const auto& [version, at] = from.places[i];
    const SampledPosition& position = stale.positions[i];
    if (version != job.version || position.elements) continue;
    const TypeSet types = position.samples() < min_samples ? kAnyType : position.sampled();
    const std::optional<Slot> x = position.parameter ? at : bound_by(version->instrs[at]);
    if (x) (position.parameter ? on_entry : bound)[*x] |= types;
  }
  on_entry.merge(bound);
  for (const auto& [x, types] : bound) on_entry[x] = types;
  for (const auto& [x, types] : on_entry)
    if (x < job.entry_types.size()) job.entry_types[x] = only_tag(types);
}

std::vector<SampledSite> SampleRecompilation::told(const SampledCode& stale) const {
  return sampled_sites(stale, origins_.at(&stale).places, stale.min_samples(thresholds_));
}

void SampleRecompilation::keep(const SampledCode& stale, Finished finished) {
  finished_[&stale] = std::move(finished);
}

std::optional<SampleRecompilation::Finished> SampleRecompilation::take(const SampledCode& stale) {
  const auto at = finished_.find(&stale);
  if (at == finished_.end()) return {};
  std::optional<Finished> finished = std::move(at->second);
  finished_.erase(at);
  return finished;
}

void SampleRecompilation::remove(const SampledCode& code) {
  codes_.remove(code);
  origins_.erase(&code);
}

} // namespace sourir::native
