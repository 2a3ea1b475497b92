#include "native/runtime/added_version.h"

#include <algorithm>

namespace sourir::native {

namespace {

const VersionMap* map_of(const StateMap& map, const InstrStream& code) {
  const auto at = std::ranges::find_if(map.versions, [&](const VersionMap& v) {
    return v.function == code.function && v.version == code.version;
  });
  return at == map.versions.end() ? nullptr : &*at;
}

// What was seen where the instruction comes from, as far as it still is the same kind of
// instruction: a map speaks of states, and passes move instructions.
std::vector<SiteFeedback> mapped_sites(const AddedVersion& added, const LinkedProgram& running,
                                       const SitesOf& sites_of) {
  const InstrStream& code = added.code();
  std::vector<SiteFeedback> sites(code.instrs.size());
  const VersionMap* const map = map_of(added.map, code);
  if (map == nullptr) return sites;
  for (Pc pc = 0; pc < code.source->body.size(); ++pc) {
    const auto listed = map->states.find(pc);
    std::optional<Place> place;
    if (listed == map->states.end()) {
      if (map->identity) place = Place{map->identity->function, map->identity->version, {}, pc};
    } else if (listed->second) {
      place = listed->second->frame.target;
    }
    if (!place) continue;
    const auto found = running.find(*place);
    if (!found || found->second >= found->first->instrs.size()) continue;
    const auto& [from, at] = *found;
    const auto seen = sites_of(*from);
    if (at < seen.size() && from->instrs[at].index() == code.instrs[pc].index())
      sites[pc] = seen[at];
  }
  return sites;
}

} // namespace

std::unique_ptr<AddedVersion> add_version(const LinkedProgram& running, FunName function,
                                          const Feedback& feedback, const SitesOf& sites_of,
                                          const Optimizer& optimizer, Names& names) {
  auto optimized = optimizer({running.source(), function, feedback, names});
  if (!optimized) return nullptr;
  auto added = std::make_unique<AddedVersion>();
  added->program = std::make_unique<Program>(std::move(optimized->program));
  added->linked = std::make_unique<LinkedProgram>(*added->program, names);
  added->map = std::move(optimized->map);
  const InstrStream* const active = added->linked->function(function)->dispatch.front();
  added->streams = adopt(*active, running);
  added->sites = mapped_sites(*added, running, sites_of);
  return added;
}

} // namespace sourir::native
