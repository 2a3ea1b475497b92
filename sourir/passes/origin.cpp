#include "sourir/passes/origin.h"

#include "sourir/syntax/metadata_names.h"
#include "sourir/syntax/program_positions.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

// The varmap of one version's positions.
class IdentityVarmaps {
public:
  explicit IdentityVarmaps(const VersionOrigin& origin) {
    for (const Binding& b : origin.absent) absent_.emplace(b.name, b.value);
  }

  void fill(const std::vector<Var>& wanted, const Var* without, const std::vector<Var>& have,
            std::vector<Binding>& varmap, std::vector<Var>& unknown) {
    scope_.clear();
    scope_.insert(have.begin(), have.end());
    for (const Var x : wanted) {
      if (without != nullptr && x == *without) continue;
      if (auto value = rebuilt(SimpleExpr(x), 0))
        varmap.push_back({x, *value});
      else
        unknown.push_back(x);
    }
  }

private:
  // The expression over variables of the output.
  std::optional<Expr> rebuilt(const Expr& e, int depth) const {
    Substitution values;
    bool known = depth < 16;
    for_each_variable(e, [&](Var x) {
      if (!known || scope_.contains(x)) return;
      const auto found = absent_.find(x);
      const auto value = found == absent_.end() ? std::nullopt : rebuilt(found->second, depth + 1);
      known = value.has_value();
      if (known) values.insert_or_assign(x, *value);
    });
    return known ? substitute(e, values) : std::nullopt;
  }

  std::unordered_map<Var, Expr> absent_;
  std::unordered_set<Var> scope_;
};

class Expansion {
public:
  Expansion(const Program& input, const Program& output) : input_(input), output_(output) {}

  VersionMap version(const VersionOrigin& origin) {
    VersionMap map{origin.function, origin.version, {}, origin.states, origin.pending};
    IdentityVarmaps varmaps(origin);
    for (Position at = 0; at < origin.positions.size(); ++at) {
      if (!origin.positions[at]) continue;
      add_state(map, varmaps, origin, at);
      add_pending(map, varmaps, origin, at);
    }
    return map;
  }

private:
  void add_state(VersionMap& map, IdentityVarmaps& varmaps, const VersionOrigin& origin,
                 Position at) {
    if (map.states.contains(at)) return;
    const Position from = *origin.positions[at];
    const auto* const wanted = input_.scope(origin.from.function, origin.from.version, from);
    const auto* const have = output_.scope(map.function, map.version, at);
    if (wanted == nullptr || have == nullptr) return;
    Metadata state;
    state.frame.target = {origin.from.function, origin.from.version, {}, from};
    varmaps.fill(*wanted, nullptr, *have, state.frame.varmap, state.frame.unknown);
    map.states.emplace(at, std::move(state));
  }

  void add_pending(VersionMap& map, IdentityVarmaps& varmaps, const VersionOrigin& origin,
                   Position at) {
    const Position from = *origin.positions[at];
    const Call* const call = output_.call(map.function, map.version, at);
    const Call* const source = input_.call(origin.from.function, origin.from.version, from);
    if (call == nullptr || source == nullptr || map.pending.contains(at)) return;
    const auto* const wanted = input_.scope(origin.from.function, origin.from.version, from);
    const auto* const have = output_.scope(map.function, map.version, at);
    if (wanted == nullptr || have == nullptr) return;
    OuterFrame frame;
    frame.target = {origin.from.function, origin.from.version, {}, from + 1};
    frame.result = source->result;
    varmaps.fill(*wanted, nullptr, *have, frame.varmap, frame.unknown);
    map.pending.emplace(at, Pending{{std::move(frame)}, {}});
  }

  ProgramPositions input_, output_;
};

} // namespace

StateMap state_map(const std::vector<VersionOrigin>& origins, const Program& input,
                   const Program& output) {
  Expansion expansion(input, output);
  StateMap map;
  for (const VersionOrigin& origin : origins) map.versions.push_back(expansion.version(origin));
  return map;
}

} // namespace sourir
