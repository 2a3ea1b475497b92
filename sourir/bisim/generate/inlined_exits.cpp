#include "sourir/bisim/generate/inlined_exits.h"

#include <algorithm>

namespace sourir::random {
namespace {

constexpr std::size_t kMostSpots = 40; // remembered of a version

} // namespace

void InlinedExits::record(const BodyEnv& env, NodeId id, Spot at) {
  if (!env.caller || out_.nesting.peeling > 0 || out_.version().inlined.size() >= kMostSpots ||
      !out_.choices().chance(1, 2))
    return;
  InlinedSpot spot{id, at.position, {}};
  for (const BodyEnv* e = &env; e; e = e->caller) {
    InlinedSpot::Level& level = spot.levels.emplace_back();
    level.call = e->call;
    level.result = e->result;
    level.facts = e->facts;
    for (const VarIndex k : e->scope)
      if (!e->slots[k].absent) level.names.emplace_back(k, e->slots[k].name);
  }
  spot.levels.front().facts = at.facts;
  out_.version().inlined.push_back(std::move(spot));
}

bool InlinedExits::fits(const BodyEnv& env, const WrittenVersion& version, const InlinedSpot& spot,
                        NodeId id, std::size_t levels) const {
  if (spot.node != id || spot.levels.size() != levels) return false;
  const BodyEnv* e = &env;
  for (std::size_t i = 0; i < levels; ++i, e = e->caller) {
    const InlinedSpot::Level& level = spot.levels[i];
    if (i + 1 < levels && level.call != e->call) return false;
    if (!implied(*e, version, level.facts)) return false;
  }
  return true;
}

std::optional<Metadata> InlinedExits::exit(BodyEnv& env, NodeId id) {
  // Some of the bodies around, up to `last`, become one frame.
  const BodyEnv* last = env.caller;
  std::size_t levels = 2;
  for (; last->caller && out_.choices().chance(1, 2); ++levels) last = last->caller;
  auto& versions = last->function.versions;
  const std::size_t n = targets_.candidates(*last);
  if (n == 0) return std::nullopt;
  std::size_t at = out_.choices().below(static_cast<std::uint32_t>(n));
  for (std::size_t i = 0; i < n; ++i, at = at == 0 ? n - 1 : at - 1) {
    WrittenVersion& version = versions[at];
    if (!version.finished || !version.out.when.empty()) continue;
    const auto spot = std::ranges::find_if(
        version.inlined, [&](const InlinedSpot& s) { return fits(env, version, s, id, levels); });
    if (spot == version.inlined.end()) continue;
    Metadata exit;
    exit.frame.target = targets_.place(*last, {&version, {spot->position, kNone}});
    const BodyEnv* e = &env;
    for (std::size_t l = 0; l < levels; ++l, e = e->caller) {
      for (const auto& [k, name] : spot->levels[l].names)
        exit.frame.varmap.push_back({name, Expr(e->slots[k].value)});
      if (l + 1 < levels)
        exit.frame.varmap.push_back({spot->levels[l].result, Expr(SimpleExpr(e->result))});
    }
    if (targets_.add_outer_frames(*last, exit)) return exit;
  }
  return std::nullopt;
}

} // namespace sourir::random
