#include "native/tiering/pass_optimizer.h"

#include "native/tiering/outlined_loop.h"
#include "native/tiering/program_part.h"

#include <algorithm>

namespace sourir::native {

namespace {

const VersionMap* map_of(const StateMap& map, const ResolvedVersion& code) {
  const auto at = std::ranges::find_if(map.versions, [&](const VersionMap& v) {
    return v.function == code.function && v.version == code.version;
  });
  return at == map.versions.end() ? nullptr : &*at;
}

// Passes turn declarations into assignments and back.
bool same_kind(const resolved::Instr& a, const resolved::Instr& b) {
  const resolved::Expr *x = bound_value(a), *y = bound_value(b);
  if (x == nullptr || y == nullptr) return a.index() == b.index();
  return x->shape == y->shape && x->op == y->op;
}

// A position without feedback, as opposed to one that was never reached.
constexpr SiteFeedback kAnything{.result = kAnyType};

// The origin of each instruction in `source`, where that still is an instruction of the same form:
// a state map relates states, and passes move instructions.
std::vector<std::optional<SitePlace>> origins_of(const OptimizedVersion& added,
                                                 const LinkedProgram& source) {
  const ResolvedVersion& code = added.code();
  std::vector<std::optional<SitePlace>> origins(code.instrs.size());
  const VersionMap* const map = map_of(added.map, code);
  if (map == nullptr) return origins;
  for (Pc pc = 0; pc < code.source->body.size(); ++pc) {
    const auto listed = map->states.find(pc);
    std::optional<Place> place;
    if (listed == map->states.end()) {
      if (map->identity) place = Place{map->identity->function, map->identity->version, {}, pc};
    } else if (listed->second) {
      place = listed->second->frame.target;
    }
    if (!place) continue;
    const auto found = source.find(*place);
    if (!found || found->second >= found->first->instrs.size()) continue;
    const auto& [from, at] = *found;
    if (same_kind(from->instrs[at], code.instrs[pc])) origins[pc] = {from, at};
  }
  return origins;
}

std::vector<SiteFeedback> sites_at(std::span<const std::optional<SitePlace>> places,
                                   const SitesOf& sites_of) {
  std::vector<SiteFeedback> sites(places.size(), kAnything);
  for (std::size_t pc = 0; pc < sites.size(); ++pc) {
    if (!places[pc]) continue;
    const auto recorded = sites_of(*places[pc]->first);
    if (places[pc]->second < recorded.size()) sites[pc] = recorded[places[pc]->second];
  }
  return sites;
}

// The place in the running program for one in the program with an outlined loop.
std::optional<SitePlace> in_running(const SitePlace& place, const LinkedProgram& running,
                                    const OutlinedFrom* outlined_from) {
  const auto& [code, pc] = place;
  if (const ResolvedVersion* there = running.version(code->function, code->version))
    return SitePlace{there, pc};
  if (outlined_from == nullptr || code->function != outlined_from->function ||
      pc < OutlinedLoop::kShift)
    return {};
  return SitePlace{outlined_from->from, pc - OutlinedLoop::kShift};
}

// part: the optimizer's part of `source`: the running program, or the one with an outlined loop.
std::unique_ptr<OptimizedVersion> make(const Program& part, const LinkedProgram& source,
                                       const LinkedProgram& running, FunName function,
                                       const Feedback& feedback, const SitesOf& sites_of,
                                       const Optimizer& optimizer, Names& names,
                                       const OutlinedFrom* outlined_from) {
  auto optimized = optimizer({part, running.source(), function, feedback, names});
  if (!optimized) return nullptr;
  auto added = std::make_unique<OptimizedVersion>();
  added->program = std::make_unique<Program>(std::move(optimized->program));
  added->linked = std::make_unique<LinkedProgram>(*added->program, names);
  added->map = std::move(optimized->map);
  const ResolvedVersion* const active = added->linked->function(function)->dispatch.front();
  added->streams = relink_exits(*active, running, outlined_from);
  if (outlined_from != nullptr) added->outlined_from = *outlined_from;
  added->origins = origins_of(*added, source);
  added->sites = sites_at(added->origins, sites_of);
  for (auto& place : added->origins)
    if (place) place = in_running(*place, running, outlined_from);
  return added;
}

// The version in the running program for one in the program with an outlined loop.
const ResolvedVersion* from_running(const ResolvedVersion& code, const LinkedProgram& running) {
  const ResolvedVersion* const there = running.version(code.function, code.version);
  return there != nullptr ? there : &code;
}

} // namespace

std::unique_ptr<OptimizedVersion>
optimize_loop(const LinkedProgram& running, const ResolvedVersion& code, Pc head,
              const Feedback& feedback, const std::vector<Tag>& types, const SitesOf& sites_of,
              const Optimizer& optimizer, Names& names) {
  const Program& all = running.source();
  auto cut = outline_loop(all, part_for(all, code.function, feedback), code.function, code.version,
                          head, names);
  if (!cut) return nullptr;
  const OutlinedFrom outlined_from{cut->function, &code, head};
  auto linked = std::make_unique<LinkedProgram>(*cut->program, names);
  const ResolvedVersion& base = *linked->function(cut->function)->dispatch.front();
  // The feedback of the version is that of the outlined loop, shifted by kShift.
  Feedback here = feedback; // places of other functions are the same
  const auto moved = [&](Place& at) {
    if (at.function != code.function || at.version != code.version) return;
    at = {cut->function, code.version, std::nullopt, at.offset + OutlinedLoop::kShift};
  };
  for (auto& held : here.predicates) moved(held.at);
  for (auto& branch : here.branches) moved(branch.at);
  // A recursive call that is inlined has that of the function.
  for (auto result : feedback.results) moved(result.at), here.results.push_back(result);
  for (Place place : feedback.unreached) moved(place), here.unreached.push_back(place);
  for (Slot p = 0; p < base.parameters; ++p)
    if (const Tag tag = types[*code.slot_of(base.slots[p])]; tag != Tag::Unbound)
      here.predicates.push_back({{cut->function, code.version, std::nullopt, 0},
                                 KindTest{base.slots[p], static_cast<Kind>(tag)}});
  const auto recorded = sites_of(code);
  std::vector<SiteFeedback> sites(base.instrs.size(), kAnything);
  for (std::size_t pc = 0; pc < recorded.size() && pc + OutlinedLoop::kShift < sites.size(); ++pc)
    sites[pc + OutlinedLoop::kShift] = recorded[pc];
  auto added = make(
      *cut->program, *linked, running, cut->function, here,
      [&](const ResolvedVersion& from) {
        return &from == &base ? std::span<const SiteFeedback>(sites)
                              : sites_of(*from_running(from, running));
      },
      optimizer, names, &outlined_from);
  if (!added) return nullptr;
  for (Slot p = 0; p < base.parameters; ++p)
    added->entered_with.push_back(*code.slot_of(base.slots[p]));
  added->source_program = std::move(cut->program);
  added->source = std::move(linked);
  return added;
}

std::unique_ptr<OptimizedVersion> optimize_version(const LinkedProgram& running, FunName function,
                                                   const Feedback& feedback,
                                                   const SitesOf& sites_of,
                                                   const Optimizer& optimizer, Names& names) {
  const Program part = part_for(running.source(), function, feedback);
  return make(part, running, running, function, feedback, sites_of, optimizer, names, nullptr);
}

} // namespace sourir::native
