#include "sourir/passes/speculation/hoist_predicates.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/speculation/guard_lists.h"

namespace sourir {

std::optional<PassResult> hoist_predicates(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    const DominatingExits exits(task.facts);
    GuardLists lists(task, exits);
    FactsAt facts(task.facts);
    // An assume that is never passed marks unreached code. The code before it is reached: none of
    // its guards, nor of those after it, is a reason to leave there.
    const auto may_pass = [&](std::size_t exit, const std::vector<Expr>& guards) {
      const Facts* const before = facts.before(exits[exit].at);
      return before != nullptr && !cannot_hold(guards, *before);
    };
    // Exits come before those that they dominate, so one iteration is enough.
    for (std::size_t exit = 0; exit < exits.size(); ++exit) {
      const auto guards = lists.of(exit);
      std::optional<bool> passed;
      for (const Expr& guard : guards) {
        const std::size_t to = exits.farthest(exit, guard);
        if (to == exit || lists.excludes(to, guard)) continue;
        if (!passed) passed = may_pass(exit, guards);
        if (!*passed) break;
        lists.add(to, guard);
        lists.remove(exit, guard);
      }
    }
    lists.apply();
  });
}

} // namespace sourir
