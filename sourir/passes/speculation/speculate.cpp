#include "sourir/passes/speculation/speculate.h"

#include "sourir/passes/speculation/dominating_exits.h"
#include "sourir/passes/speculation/guard_lists.h"
#include "sourir/syntax/text/printer.h"

namespace sourir {
namespace {

class Speculator {
public:
  explicit Speculator(VersionTask& task)
      : task_(task), wanted_(wanted_speculations(task)), exits_(task.facts), guards_(task, exits_) {
  }

  void run() {
    std::size_t next = 0;
    exits_.for_each_position(
        [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
          for (; next < wanted_.size() && wanted_[next].at <= at; ++next)
            if (wanted_[next].at == at) place(wanted_[next], state, nearest);
        });
    guards_.apply();
  }

private:
  void place(const Speculation& wanted, const Definitions::State& state,
             std::optional<std::size_t> nearest) {
    bool placed = true;
    for (const Expr& predicate : wanted.predicates) {
      // What stands at the position itself is nearest of all.
      const auto here = exits_.at(wanted.at);
      placed &= place(predicate, state, here ? here : nearest, wanted.at);
    }
    if (placed && wanted.hint) task_.edit.remove(wanted.at);
  }

  bool place(const Expr& predicate, const Definitions::State& state,
             std::optional<std::size_t> nearest, Position at) {
    if (guards_.known(predicate, state, nearest)) return true;
    if (nearest && reads_the_same(predicate, exits_[*nearest].state, state)) {
      guards_.add(*nearest, predicate);
      return true;
    }
    remark(predicate, at, nearest.has_value());
    return false;
  }

  void remark(const Expr& predicate, Position at, bool has_exit) {
    const Names& names = task_.input.names;
    const Place place{task_.function.name, task_.version.name, {}, at};
    task_.remarks.push_back(
        "speculate: " + print(predicate, names) + " at " + print(place, names) +
        (has_exit ? ": it changes after the last exit before" : ": control passes no exit before"));
  }

  VersionTask& task_;
  std::vector<Speculation> wanted_;
  DominatingExits exits_;
  GuardLists guards_;
};

} // namespace

std::optional<PassResult> speculate(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Speculator(task).run(); });
}

} // namespace sourir
