#include "sourir/passes/speculation/hoist_predicates.h"

#include "sourir/passes/speculation/dominating_exits.h"

namespace sourir {

std::optional<PassResult> hoist_predicates(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    const DominatingExits exits(task.facts);
    GuardLists lists(task, exits);
    // Exits come before those that they dominate, so one iteration is enough.
    for (std::size_t exit = 0; exit < exits.size(); ++exit) {
      const auto guards = lists.of(exit);
      for (const Expr& guard : guards) {
        const std::size_t to = exits.farthest(exit, guard);
        if (to == exit) continue;
        lists.add(to, guard);
        lists.remove(exit, guard);
      }
    }
    lists.apply();
  });
}

} // namespace sourir
