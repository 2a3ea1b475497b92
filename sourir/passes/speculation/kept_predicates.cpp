#include "sourir/passes/speculation/kept_predicates.h"

#include "sourir/passes/speculation/dominating_exits.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/metadata_names.h"

#include <algorithm>

namespace sourir {
namespace {

const std::vector<Expr>& guards_at(const Version& version, Position at) {
  static const std::vector<Expr> none;
  const auto* const assume = std::get_if<Assume>(&version.body[at].instr);
  return assume != nullptr ? assume->guards : none;
}

// Those above the exit and those below it, ascending, and itself.
std::vector<std::size_t> chain_through(const DominatingExits& exits, std::size_t exit) {
  std::vector<bool> below(exits.size());
  below[exit] = true;
  std::vector<std::size_t> chain;
  for (auto up = exits[exit].up; up; up = exits[*up].up) chain.push_back(*up);
  std::reverse(chain.begin(), chain.end());
  // Whatever is above another one has the smaller number.
  for (std::size_t i = exit; i < exits.size(); ++i) {
    below[i] = below[i] || (exits[i].up && below[*exits[i].up]);
    if (below[i]) chain.push_back(i);
  }
  return chain;
}

// What the target has tested where control comes to `there`.
std::vector<Expr> tested_before(VersionAnalyses& target, Position there) {
  const DominatingExits exits(target);
  std::vector<Expr> tested;
  exits.for_each_position(
      [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
        if (at != there) return;
        for (auto exit = nearest; exit; exit = exits[*exit].up)
          for (const Expr& guard : guards_at(target.version(), exits[*exit].at))
            if (reads_the_same(guard, exits[*exit].state, state)) tested.push_back(guard);
      });
  return tested;
}

// The variables of the version that the target has under some name.
Substitution names_in_target(const Metadata& exit) {
  Substitution names;
  for (const Binding& b : exit.frame.varmap)
    if (const auto* const simple = std::get_if<SimpleExpr>(&b.value))
      if (const Var* const x = std::get_if<Var>(simple)) names.try_emplace(*x, SimpleExpr(b.name));
  for (const Deferred& d : exit.with) names.erase(subject(d.instr));
  return names;
}

} // namespace

std::vector<Expr> kept_predicates(VersionAnalyses& version, Position at,
                                  const std::vector<Expr>& failing, VersionAnalyses& target,
                                  Position there) {
  const DominatingExits exits(version);
  const auto exit = exits.at(at);
  if (!exit) return {};
  const Substitution names = names_in_target(*exit_of(version.version().body[at].instr));
  const auto tested = tested_before(target, there);
  std::vector<Expr> kept;
  for (const std::size_t i : chain_through(exits, *exit))
    for (const Expr& guard : guards_at(version.version(), exits[i].at)) {
      if (contains(failing, guard) || !reads_the_same(guard, exits[i].state, exits[*exit].state))
        continue;
      bool nameable = true;
      for_each_variable(guard, [&](Var x) { nameable &= names.contains(x); });
      const auto there_too = nameable ? substitute(guard, names) : std::nullopt;
      if (there_too && !contains(tested, *there_too) && !contains(kept, *there_too))
        kept.push_back(*there_too);
    }
  return kept;
}

} // namespace sourir
