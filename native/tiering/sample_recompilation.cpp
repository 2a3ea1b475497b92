#include "native/tiering/sample_recompilation.h"

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/match.h"
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

namespace {

class Inference {
public:
  Inference(const ResolvedVersion& code, std::span<const TypeSet> parameters,
            std::vector<SiteFeedback>& sites)
      : code_(code), parameters_(parameters), sites_(sites) {}

  // Terminates: the sets only become smaller.
  void run() {
    if (sites_.size() < code_.instrs.size()) return;
    do {
      collect();
    } while (narrow());
  }

private:
  // By variable, flow-insensitive: the types of all values bound to it.
  void collect() {
    types_.assign(code_.slots.size(), {});
    for (Slot p = 0; p < code_.parameters; ++p)
      types_[p] = p < parameters_.size() && !parameters_[p].empty() ? parameters_[p] : kAnyType;
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
      match(
          code_.instrs[pc],
          [&](const resolved::Decl& i) { bound(i.x, i.e ? recorded(pc) : type_set(Tag::Nil)); },
          [&](const resolved::Assign& i) { bound(i.x, recorded(pc)); },
          [&](const resolved::Read& i) { bound(i.x, recorded(pc)); },
          [&](const resolved::Call& i) { bound(i.x, recorded(pc)); },
          [&](const resolved::ArrayDecl& i) { bound(i.x, type_set(Tag::Array)); },
          [&](const resolved::ArrayDef& i) { bound(i.x, type_set(Tag::Array)); },
          [](const auto&) {});
  }

  TypeSet recorded(Pc pc) const { return sites_[pc].result; }
  void bound(Slot x, TypeSet types) { types_[x] |= types; }

  TypeSet of(const resolved::Operand& o) const {
    return o.slot == resolved::kLiteral ? type_set(o.literal.tag()) : types_[o.slot];
  }

  // The possible types of e for such operands.
  TypeSet of(const resolved::Expr& e) const {
    const TypeSet a = of(e.a);
    if (e.shape == resolved::Shape::Simple) return a;
    if (e.shape == resolved::Shape::Unary) return result_types(static_cast<UnaryOp>(e.op), a);
    const auto op = static_cast<BinaryOp>(e.op);
    if (e.shape != resolved::Shape::Binary || !is_arithmetic(op)) return kAnyType;
    return result_types(op, a, of(e.b));
  }

  bool narrow() {
    bool changed = false;
    const auto computed = [&](Pc pc, const resolved::Expr& e) {
      const auto element = full_of(sites_[pc].storages);
      const bool load = e.shape == resolved::Shape::Index && element;
      const TypeSet refined = sites_[pc].result & (load ? type_set(*element) : of(e));
      if (refined.empty() || refined == sites_[pc].result)
        return; // empty: not reached, or recorded and inferred types contradict
      sites_[pc].result = refined;
      changed = true;
    };
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
      if (const auto* decl = std::get_if<resolved::Decl>(&code_.instrs[pc]);
          decl != nullptr && decl->e)
        computed(pc, *decl->e);
      if (const auto* assign = std::get_if<resolved::Assign>(&code_.instrs[pc]))
        computed(pc, assign->e);
    }
    return changed;
  }

  const ResolvedVersion& code_;
  std::span<const TypeSet> parameters_;
  std::vector<SiteFeedback>& sites_;
  std::vector<TypeSet> types_;
};

} // namespace

void infer_types(const ResolvedVersion& code, std::span<const TypeSet> parameters,
                 std::vector<SiteFeedback>& sites) {
  Inference(code, parameters, sites).run();
}

} // namespace sourir::native
