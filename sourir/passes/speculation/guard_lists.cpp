#include "sourir/passes/speculation/guard_lists.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/syntax/exits.h"

#include <algorithm>

namespace sourir {
namespace {

// At most so many exits are searched for one guard, for long chains of them.
constexpr int kFarthest = 64;

} // namespace

GuardLists::GuardLists(VersionTask& task, const DominatingExits& exits)
    : task_(task), exits_(exits), lists_(exits.size()) {
  for (std::size_t i = 0; i < exits.size(); ++i)
    if (const auto* const assume = std::get_if<Assume>(&task.version.body[exits[i].at].instr))
      lists_[i].guards = assume->guards;
}

bool GuardLists::has(std::size_t exit, const Expr& guard) const {
  const auto& guards = lists_[exit].guards;
  return std::find(guards.begin(), guards.end(), guard) != guards.end();
}

const Facts& GuardLists::facts(std::size_t exit) {
  List& list = lists_[exit];
  if (!list.facts) {
    list.facts.emplace();
    for (const Expr& g : list.guards) learn(g, true, *list.facts);
  }
  return *list.facts;
}

bool GuardLists::excludes(std::size_t exit, const Expr& guard) {
  return cannot_hold({guard}, facts(exit));
}

bool GuardLists::imply(std::size_t exit, const Expr& guard) { return holds(guard, facts(exit)); }

void GuardLists::add(std::size_t exit, const Expr& guard) {
  if (has(exit, guard)) return;
  List& list = lists_[exit];
  list.guards.push_back(guard);
  list.changed = true;
  if (list.facts) learn(guard, true, *list.facts);
}

void GuardLists::remove(std::size_t exit, const Expr& guard) {
  List& list = lists_[exit];
  if (std::erase(list.guards, guard) == 0) return;
  list.changed = true;
  list.facts.reset();
}

bool GuardLists::known(const Expr& guard, const Definitions::State& state,
                       std::optional<std::size_t> nearest) const {
  for (int n = 0; nearest && n < kFarthest; ++n, nearest = exits_[*nearest].up) {
    if (!reads_the_same(guard, exits_[*nearest].state, state)) return false;
    if (has(*nearest, guard)) return true;
  }
  return false;
}

void GuardLists::apply() {
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (!lists_[i].changed) continue;
    const Position at = exits_[i].at;
    task_.edit.replace(at,
                       Assume{std::move(lists_[i].guards), *exit_of(task_.version.body[at].instr)});
  }
}

} // namespace sourir
