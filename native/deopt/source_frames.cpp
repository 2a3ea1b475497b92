#include "native/deopt/source_frames.h"

#include <algorithm>

namespace sourir::native {

namespace {

// Of the program, or of the version that a function was cut out of.
std::optional<SourcePlace> found(const OptimizedVersion& added, const LinkedProgram& running,
                                 const Place& place) {
  if (const auto there = running.find(place)) return SourcePlace{there->first, there->second};
  const std::optional<OutlinedFrom>& cut = added.outlined_from;
  if (!cut || cut->function != place.function) return {};
  const Pc pc = place.label || place.offset == 0 ? cut->head : place.offset - 1;
  return SourcePlace{cut->from, std::min<Pc>(pc, cut->from->instrs.size() - 1)};
}

SourcePlace start_of(const OptimizedVersion& added, const LinkedProgram& running) {
  if (added.outlined_from) return {added.outlined_from->from, added.outlined_from->head};
  return {running.function(added.code().function)->dispatch.front(), 0};
}

} // namespace

std::vector<SourcePlace> source_places(const OptimizedVersion& added, const ResolvedVersion& code,
                                       const LinkedProgram& running, Pc pc, bool waiting) {
  const auto map = std::ranges::find_if(added.map.versions, [&](const VersionMap& v) {
    return v.function == code.function && v.version == code.version;
  });
  std::vector<SourcePlace> places;
  const auto add = [&](const Place& place) {
    if (const auto at = found(added, running, place)) places.push_back(*at);
  };
  const auto same_position = [&] {
    if (map->identity) add({map->identity->function, map->identity->version, {}, pc});
  };
  if (map != added.map.versions.end() && waiting) {
    const auto listed = map->pending.find(pc - 1);
    if (listed == map->pending.end())
      same_position();
    else if (listed->second)
      for (const OuterFrame& frame : listed->second->frames) add(frame.target);
  } else if (map != added.map.versions.end()) {
    const auto listed = map->states.find(pc);
    if (listed == map->states.end()) {
      same_position();
    } else if (listed->second) {
      add(listed->second->frame.target);
      for (const OuterFrame& outer : listed->second->outer) add(outer.target);
    }
  }
  if (places.empty()) places.push_back(start_of(added, running));
  return places;
}

} // namespace sourir::native
