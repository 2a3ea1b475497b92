#include "sourir/analysis/reaching.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <iterator>

namespace sourir {

bool ReachingDefinitions::State::join(const State& other) {
  if (std::includes(definitions.begin(), definitions.end(), other.definitions.begin(),
                    other.definitions.end()))
    return false;
  std::vector<Definition> both;
  std::set_union(definitions.begin(), definitions.end(), other.definitions.begin(),
                 other.definitions.end(), std::back_inserter(both));
  definitions = std::move(both);
  return true;
}

ReachingDefinitions::State ReachingDefinitions::boundary(BlockId root) const {
  State state;
  if (const auto& scope = scopes_[cfg_[root].begin])
    for (const Var x : *scope) state.definitions.push_back({x, kIncoming});
  std::sort(state.definitions.begin(), state.definitions.end());
  return state;
}

void ReachingDefinitions::transfer(State& state, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  const Var* const defined = defined_by(instr);
  const Var* const gone = defined != nullptr ? defined : scope_effect(instr).drops;
  if (gone == nullptr) return;
  const auto [from, to] =
      std::equal_range(state.definitions.begin(), state.definitions.end(), Definition{*gone, 0},
                       [](const Definition& a, const Definition& b) { return a.name < b.name; });
  const auto place = state.definitions.erase(from, to);
  if (defined != nullptr) state.definitions.insert(place, {*defined, at});
}

} // namespace sourir
