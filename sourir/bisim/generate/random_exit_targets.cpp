#include "sourir/bisim/generate/random_exit_targets.h"

#include <algorithm>

namespace sourir::random {

// The number of versions of a body's function that an exit may target. Those of the version's own
// function are older than it; a continuation goes to the base only.
std::size_t ExitTargets::candidates(const BodyEnv& env) const {
  if (out_.is_continuation()) return 1;
  const bool own = &env.function == &out_.function() && !env.caller;
  return own ? out_.number() : env.function.versions.size();
}

// Exits of continuations target the node in the base, not an exit before it: so exits form no
// cycle.
std::optional<ExitTargets::Target> ExitTargets::find(const BodyEnv& env, NodeId id,
                                                     bool exits_too) {
  auto& versions = env.function.versions;
  const std::size_t n = candidates(env);
  if (n == 0) return std::nullopt;
  std::size_t at = out_.choices().below(static_cast<std::uint32_t>(n));
  const bool cascade = exits_too && !out_.is_continuation() && out_.choices().chance(2, 3);
  for (std::size_t i = 0; i < n; ++i, at = at == 0 ? n - 1 : at - 1) {
    WrittenVersion& version = versions[at];
    if (!version.finished || !version.out.when.empty()) continue;
    const Spot& exit = version.exit[id];
    const Spot& spot = cascade && exit.position != kNone ? exit : version.at[id];
    if (spot.position != kNone && implied(env, version, spot.facts)) return Target{&version, spot};
  }
  return std::nullopt;
}

Label ExitTargets::label_at(WrittenVersion& version, std::uint32_t position) {
  version.targeted = true;
  auto& body = version.out.body;
  LeadingTrivia& leading = position < body.size() ? body[position].leading : version.out.end;
  if (out_.has(Feature::NotNormal) && !leading.labels.empty()) return leading.labels.back();
  if (version.exit_labels.size() <= body.size())
    version.exit_labels.resize(body.size() + 1, Label{kNone});
  Label& label = version.exit_labels[position];
  if (label == Label{kNone}) {
    label = out_.generation().names.label(version.next_label++);
    leading.labels.push_back(label);
  }
  return label;
}

Place ExitTargets::place(const BodyEnv& env, const Target& target) {
  return {env.tree().name, target.version->out.name,
          label_at(*target.version, target.spot.position), 0};
}

std::vector<Binding> ExitTargets::varmap(const BodyEnv& env, const WrittenVersion& target,
                                         const std::vector<VarIndex>& scope) const {
  std::vector<Binding> bindings;
  bindings.reserve(scope.size());
  for (const VarIndex k : scope) {
    if (target.left_out[k]) continue;
    const Expr* const deferred = rewriter_.deferred(k);
    bindings.push_back(
        {target.real[k], deferred != nullptr ? *deferred : Expr(env.slots[k].value)});
  }
  return bindings;
}

// The frames of the functions that the body is inlined into.
bool ExitTargets::add_outer_frames(const BodyEnv& env, Metadata& exit) {
  for (const BodyEnv* e = &env; e->caller; e = e->caller) {
    const BodyEnv& caller = *e->caller;
    auto& versions = caller.function.versions;
    const std::size_t n = candidates(caller);
    std::size_t at = out_.choices().below(static_cast<std::uint32_t>(n));
    for (std::size_t i = 0; i < n; ++i, at = at == 0 ? n - 1 : at - 1) {
      WrittenVersion& version = versions[at];
      const Spot spot =
          version.finished && version.out.when.empty() ? version.after[e->call] : Spot{};
      if (spot.position == kNone || !implied(caller, version, spot.facts)) continue;
      const VarIndex result = std::get<Call>(caller.tree().nodes[e->call].instr).result.id;
      exit.outer.push_back({place(caller, {&version, spot}),
                            version.real[result],
                            varmap(caller, version, caller.scope),
                            {}});
      break;
    }
    if (exit.outer.empty() || exit.outer.back().target.function != caller.tree().name) return false;
  }
  return true;
}

Frame ExitTargets::frame(const BodyEnv& env, const Target& target,
                         const std::vector<VarIndex>& scope) {
  Place at = place(env, target);
  return {at, varmap(env, *target.version, scope), {}};
}

namespace {

constexpr std::size_t kMostSpots = 40; // recorded of a version

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
  // The bodies from this one to `last` become one frame.
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
