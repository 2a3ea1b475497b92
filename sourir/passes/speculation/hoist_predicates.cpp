#include "sourir/passes/speculation/hoist_predicates.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/speculation/guard_lists.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

namespace sourir {
namespace {

// Remarks about guards that stay where they are.
class StayingGuards {
public:
  StayingGuards(VersionTask& task, const DominatingExits& exits) : task_(task), exits_(exits) {}

  // The guard reads something else at the next exit up, or there is none.
  void unmovable(std::size_t exit, const Expr& guard) {
    if (task_.input.remarks != nullptr) add(exit, guard, why(exit, guard));
  }
  void excluded(std::size_t exit, std::size_t to, const Expr& guard) {
    if (task_.input.remarks != nullptr)
      add(exit, guard, fmt::format("with the guards at {} it can never hold", place(to)));
  }
  void never_passed(std::size_t exit, const Expr& guard) {
    if (task_.input.remarks != nullptr) add(exit, guard, "its assume is never passed");
  }

private:
  std::string why(std::size_t exit, const Expr& guard) const {
    const auto up = exits_[exit].up;
    if (!up) return "no assume or anchor before it is on all paths";
    const Definitions::State &above = exits_[*up].state, &here = exits_[exit].state;
    std::string changed;
    for_each_variable(guard, [&](Var x) {
      if (!changed.empty() || reads_the_same(SimpleExpr(x), above, here)) return;
      const bool known = above.variables.find(x) != nullptr;
      changed = fmt::format("{} {}", task_.input.names.text(x),
                            known ? "may change after" : "is not in scope at");
    });
    if (changed.empty()) changed = "elements of arrays may change after";
    return fmt::format("{} {}", changed, place(*up));
  }

  std::string place(std::size_t exit) const {
    return print(Place{task_.function.name, task_.version.name, {}, exits_[exit].at},
                 task_.input.names);
  }

  void add(std::size_t exit, const Expr& guard, const std::string& why) {
    task_.remarks.push_back(
        fmt::format("{} at {}: not moved: {}", print(guard, task_.input.names), place(exit), why));
  }

  VersionTask& task_;
  const DominatingExits& exits_;
};

} // namespace

std::optional<PassResult> hoist_predicates(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    const DominatingExits exits(task.facts);
    GuardLists lists(task, exits);
    FactsAt facts(task.facts);
    StayingGuards stays(task, exits);
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
        if (to == exit) {
          stays.unmovable(exit, guard);
          continue;
        }
        if (lists.excludes(to, guard)) {
          stays.excluded(exit, to, guard);
          continue;
        }
        if (!passed) passed = may_pass(exit, guards);
        if (!*passed) {
          stays.never_passed(exit, guard);
          break;
        }
        lists.add(to, guard);
        lists.remove(exit, guard);
      }
    }
    lists.apply();
  });
}

} // namespace sourir
