#include "native/runtime/feedback_store.h"

#include <algorithm>

namespace sourir::native {

std::vector<SampledSite> sampled_sites(const profiler::SampledCode& code,
                                       std::span<const SitePlace> places,
                                       std::uint32_t min_samples) {
  std::vector<SampledSite> sites;
  for (std::size_t i = 0; i < code.positions.size(); ++i) {
    const profiler::SampledPosition& position = code.positions[i];
    if (!position.parameter && position.samples() >= min_samples)
      sites.push_back({places[i], position.elements, position.sampled()});
  }
  return sites;
}

void FeedbackSnapshot::override_with_samples(const profiler::SampledCode& code,
                                             std::span<const SitePlace> places,
                                             std::uint32_t min_samples) {
  for (std::size_t i = 0; i < code.positions.size(); ++i) {
    const profiler::SampledPosition& position = code.positions[i];
    const Pc parameter = places[i].second;
    if (position.parameter && position.samples() >= min_samples && parameter < parameters.size())
      parameters[parameter] = position.sampled();
  }
  for (const SampledSite& site : sampled_sites(code, places, min_samples)) override_with(site);
}

bool FeedbackSnapshot::override_with(const SampledSite& site) {
  const auto& [version, at] = site.place;
  const auto known = sites.find(version);
  if (known == sites.end() || at >= known->second.size()) return false;
  SiteFeedback& feedback = known->second[at];
  if (!site.elements)
    feedback.result = site.types;
  else if (const Tag type = only_tag(site.types); type != Tag::Unbound) // nil: Mixed
    feedback.storages = static_cast<StorageSet>(1U << static_cast<unsigned>(full_storage(type)));
  return true;
}

std::span<SiteFeedback> FeedbackStore::recording(const ResolvedVersion& version) {
  const auto [at, fresh] = sites_.try_emplace(&version);
  if (fresh) at->second.resize(version.instrs.size());
  return at->second;
}

std::span<const SiteFeedback> FeedbackStore::recorded(const ResolvedVersion& version) const {
  const auto at = sites_.find(&version);
  return at == sites_.end() ? std::span<const SiteFeedback>() : at->second;
}

std::vector<SiteFeedback> FeedbackStore::merged(const ResolvedVersion& version,
                                                std::span<const SiteFeedback> inherited) const {
  const std::span<const SiteFeedback> own = recorded(version);
  if (inherited.empty() && !own.empty()) return {own.begin(), own.end()};
  if (inherited.empty()) return std::vector<SiteFeedback>(version.instrs.size());
  std::vector<SiteFeedback> sites(inherited.begin(), inherited.end());
  for (std::size_t pc = 0; pc < sites.size() && pc < own.size(); ++pc) sites[pc].add(own[pc]);
  return sites;
}

void FeedbackStore::add_result(const ResolvedVersion& version, Pc pc, Tag tag) {
  SiteFeedback& site = recording(version)[pc];
  site.result |= type_set(tag);
}

void FeedbackStore::add_storage(const ResolvedVersion& version, Pc pc, const Array& a) {
  SiteFeedback& site = recording(version)[pc];
  site.storages |= storage_of(a);
}

void FeedbackStore::add_arguments(FunName function, std::span<const Value> arguments) {
  std::vector<TypeSet>& types = parameters_[function];
  types.resize(std::max(types.size(), arguments.size()));
  for (std::size_t p = 0; p < arguments.size(); ++p) types[p] |= type_set(arguments[p].tag());
}

std::vector<TypeSet> FeedbackStore::parameters(FunName function) const {
  const auto at = parameters_.find(function);
  return at == parameters_.end() ? std::vector<TypeSet>() : at->second;
}

void FeedbackStore::add_samples(const ResolvedVersion& version, std::span<const SampledSite> told) {
  std::vector<SampledSite>& all = samples_[&version];
  for (const SampledSite& site : told) {
    const auto same = std::ranges::find_if(all, [&](const SampledSite& other) {
      return other.place == site.place && other.elements == site.elements;
    });
    if (same == all.end())
      all.push_back(site);
    else
      *same = site;
  }
}

std::span<const SampledSite> FeedbackStore::samples(const ResolvedVersion& version) const {
  const auto at = samples_.find(&version);
  return at == samples_.end() ? std::span<const SampledSite>() : at->second;
}

void FeedbackStore::propagate(const OptimizedVersion& version) {
  const std::span<const SiteFeedback> own = recorded(version.code());
  for (Pc pc = 0; pc < version.origins.size() && pc < own.size(); ++pc) {
    const auto& from = version.origins[pc];
    if (!from || own[pc].result.empty()) continue;
    const std::span<SiteFeedback> sites = recording(*from->first);
    if (from->second < sites.size()) sites[from->second].add(own[pc]);
  }
}

void FeedbackStore::reset(const ResolvedVersion& version) {
  drop_samples(version);
  const auto at = sites_.find(&version);
  if (at == sites_.end()) return;
  std::ranges::fill(at->second, SiteFeedback());
  if (on_reset_) on_reset_(version);
}

void FeedbackStore::reset_arguments(FunName function) {
  if (const auto at = parameters_.find(function); at != parameters_.end())
    std::ranges::fill(at->second, TypeSet{});
}

void FeedbackStore::drop(const ResolvedVersion& version) {
  sites_.erase(&version);
  drop_samples(version);
  for (auto& [of, told] : samples_)
    std::erase_if(told, [&](const SampledSite& site) { return site.place.first == &version; });
}

} // namespace sourir::native
