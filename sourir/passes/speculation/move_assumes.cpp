#include "sourir/passes/speculation/move_assumes.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/speculation/assume_moves.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/substitution.h"

#include <algorithm>

namespace sourir {
namespace {

class Mover {
public:
  Mover(VersionTask& task, Position from, const AssumeMove& move, FreshNames& fresh)
      : task_(task), from_(from), move_(move), fresh_(fresh),
        assume_(std::get<Assume>(task.version.body[from].instr)) {
    for (const Var x : move.changed)
      if (contains(move.kept, x) && !mutant(30))
        snapshots_.emplace_back(x, fresh.fresh<Var>(std::string(fresh.names().text(x)) + "0"));
  }

  void run() {
    for (const auto& [x, copy] : snapshots_)
      task_.edit.insert(from_, Decl{copy, Expr(SimpleExpr(x))});
    task_.edit.remove(from_);
    for (const Position to : move_.to) arrive(to, true);
    for (const BlockId arm : move_.other_arms)
      arrive(task_.facts.cfg()[arm].begin, !assume_.guards.empty());
    if (!assume_.guards.empty())
      for (const Position at : move_.passed) task_.edit.map_state(at, state_before(at));
  }

private:
  void arrive(Position at, bool with_assume) {
    if (with_assume && assume_.guards.empty())
      task_.edit.insert(at, moved());
    else if (with_assume)
      task_.edit.insert_mapped(at, moved(), state_before(at));
    for (const auto& [x, copy] : snapshots_) task_.edit.insert(at, Drop{copy});
  }

  Instruction moved() {
    std::unordered_map<Var, Var> names;
    Substitution values;
    for (const auto& [x, copy] : snapshots_) {
      names.emplace(x, copy);
      values.emplace(x, SimpleExpr(copy));
    }
    Assume result{{}, rename(assume_.exit, names, fresh_)};
    // Variables for variables: it always fits.
    for (const Expr& guard : assume_.guards)
      result.guards.push_back(substitute(guard, values).value());
    return result;
  }

  // With a guard that is false the input has left before: the state is that at the old place,
  // where nobody looks at what is unknown now.
  Metadata state_before(Position at) {
    Metadata state;
    state.frame.target = {task_.function.name, task_.version.name, {}, from_};
    for (const Var x : *task_.facts.scopes()[from_]) {
      const auto copy = std::find_if(snapshots_.begin(), snapshots_.end(),
                                     [&](const auto& snapshot) { return snapshot.first == x; });
      if (copy != snapshots_.end())
        state.frame.varmap.push_back({x, SimpleExpr(copy->second)});
      else if (at == from_ + 1 || !contains(move_.changed, x))
        state.frame.varmap.push_back({x, SimpleExpr(x)});
      else
        state.frame.unknown.push_back(x);
    }
    return state;
  }

  VersionTask& task_;
  Position from_;
  const AssumeMove& move_;
  FreshNames& fresh_;
  const Assume& assume_;
  std::vector<std::pair<Var, Var>> snapshots_; // the variable, what keeps its old value
};

} // namespace

std::optional<PassResult> move_assumes(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    FreshNames fresh = task.fresh_names();
    for (const auto& [from, move] : assume_moves(task)) Mover(task, from, move, fresh).run();
  });
}

} // namespace sourir
