#include "sourir/syntax/mapped_states.h"

namespace sourir {
namespace {

std::vector<Binding> identity_varmap(const std::vector<Var>& scope, std::optional<Var> without) {
  std::vector<Binding> varmap;
  for (const Var x : scope)
    if (x != without) varmap.push_back({x, SimpleExpr(x)});
  return varmap;
}

} // namespace

MappedStates::MappedStates(const StateMap& map, const Program& input) : input_(input) {
  for (const VersionMap& v : map.versions)
    versions_.try_emplace(version_key(v.function, v.version), &v);
}

const VersionMap* MappedStates::listed(FunName function, VerName version) const {
  const auto found = versions_.find(version_key(function, version));
  return found == versions_.end() ? nullptr : found->second;
}

std::optional<Place> MappedStates::identity(FunName function, VerName version) const {
  if (const VersionMap* const map = listed(function, version)) return map->identity;
  if (input_.version(function, version) == nullptr) return std::nullopt;
  return Place{function, version, {}, 0};
}

std::optional<Metadata> MappedStates::identity_state(const Place& version, Position at) {
  const auto* const scope = input_.scope(version.function, version.version, at);
  if (scope == nullptr) return std::nullopt;
  Metadata state;
  state.frame = {{version.function, version.version, {}, at}, identity_varmap(*scope, {}), {}};
  return state;
}

std::optional<Pending> MappedStates::identity_pending(const Place& version, Position at) {
  const Call* const call = input_.call(version.function, version.version, at);
  const auto* const scope = input_.scope(version.function, version.version, at);
  if (call == nullptr || scope == nullptr) return std::nullopt;
  const Place behind{version.function, version.version, {}, at + 1};
  return Pending{{{behind, call->result, identity_varmap(*scope, call->result), {}}}, {}};
}

std::optional<Metadata> MappedStates::state(FunName function, VerName version, Position at) {
  if (const VersionMap* const map = listed(function, version))
    if (const auto found = map->states.find(at); found != map->states.end()) return found->second;
  const auto same = identity(function, version);
  return same ? identity_state(*same, at) : std::nullopt;
}

std::optional<Pending> MappedStates::pending(FunName function, VerName version, Position at) {
  if (const VersionMap* const map = listed(function, version))
    if (const auto found = map->pending.find(at); found != map->pending.end()) return found->second;
  const auto same = identity(function, version);
  return same ? identity_pending(*same, at) : std::nullopt;
}

std::optional<Pending> MappedStates::waiting(FunName function, VerName version, Position behind,
                                             Var result) {
  const auto state = this->state(function, version, behind);
  return state ? pending_form(*state, result) : std::nullopt;
}

} // namespace sourir
