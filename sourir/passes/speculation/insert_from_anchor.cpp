#include "sourir/passes/speculation/insert_from_anchor.h"

#include "sourir/analysis/usable_exits.h"
#include "sourir/passes/speculation/guard_lists.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

namespace sourir {
namespace {

class Inserter {
public:
  explicit Inserter(VersionTask& task)
      : task_(task), wanted_(wanted_speculations(task)), exits_(task.facts), guards_(task, exits_),
        usable_(task.version.body.size()), fresh_(task.fresh_names()) {
    if (wanted_.empty()) return;
    const Cfg& cfg = task.facts.cfg();
    UsableExits analysis(task.version);
    const auto solution = solve(cfg, analysis);
    for (const BlockId b : cfg.reverse_postorder()) {
      UsableExit state = solution[b.id].value();
      replay(cfg, analysis, b, state,
             [&](Position at, const UsableExit& usable) { usable_[at] = usable.at; });
    }
  }

  void run() {
    std::size_t next = 0;
    exits_.for_each_position(
        [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
          for (; next < wanted_.size() && wanted_[next].at <= at; ++next)
            if (wanted_[next].at == at) insert(wanted_[next], state, nearest);
        });
  }

private:
  void insert(const Speculation& wanted, const Definitions::State& state,
              std::optional<std::size_t> nearest) {
    std::vector<Expr> predicates;
    for (const Expr& e : wanted.predicates)
      if (!guards_.known(e, state, nearest) && in_scope(e, state)) predicates.push_back(e);
    if (!predicates.empty() && !usable_[wanted.at]) {
      const Place place{task_.function.name, task_.version.name, {}, wanted.at};
      task_.remarks.push_back("insert-from-anchor: no exit may be taken any more at " +
                              print(place, task_.input.names));
      return;
    }
    if (!predicates.empty()) {
      const Instruction& from = task_.version.body[*usable_[wanted.at]].instr;
      task_.edit.insert(wanted.at,
                        Assume{std::move(predicates), rename(*exit_of(from), {}, fresh_)});
    }
    if (wanted.hint) task_.edit.remove(wanted.at);
  }

  VersionTask& task_;
  std::vector<Speculation> wanted_;
  DominatingExits exits_;
  GuardLists guards_;
  std::vector<std::optional<Position>> usable_; // by position
  FreshNames fresh_;
};

} // namespace

std::optional<PassResult> insert_from_anchor(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Inserter(task).run(); });
}

} // namespace sourir
