#include "sourir/passes/speculation/move_assumes.h"

#include "sourir/analysis/constants.h"
#include "sourir/analysis/effect_free.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/speculation/guard_lists.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>

namespace sourir {
namespace {

// The move of one assume (Lemma 6).
struct AssumeMove {
  std::vector<Position> to;        // before these, each on another path
  std::vector<BlockId> other_arms; // arms on the path that lead to none of them
  std::vector<Position> passed;    // the instructions that it moves over
  std::vector<Var> changed;        // what these change, each once
  // The variables whose value at the old place is needed: all that the assume reads; if it has
  // guards, also those that are live after it, since the positions on the path map to the old
  // place.
  std::vector<Var> kept;
};

// Its guards and its metadata.
std::vector<Var> variables_of(const Assume& assume) {
  std::vector<Var> read = variables_of(assume.exit);
  for (const Expr& guard : assume.guards)
    for_each_variable(guard, [&](Var x) {
      if (!contains(read, x)) read.push_back(x);
    });
  return read;
}

// Positions of hints that no exit before them could serve.
std::vector<std::uint8_t> unserved_hints(VersionTask& task) {
  std::vector<std::uint8_t> result(task.version.body.size());
  const DominatingExits exits(task.facts);
  const GuardLists guards(task, exits);
  exits.for_each_position([&](Position at, const Definitions::State& state,
                              std::optional<std::size_t> nearest) {
    const auto* const hint = std::get_if<GuardHint>(&task.version.body[at].instr);
    if (hint == nullptr || !nearest) return;
    result[at] = std::any_of(hint->guards.begin(), hint->guards.end(), [&](const Expr& e) {
      return !guards.known(e, state, nearest) && !reads_the_same(e, exits[*nearest].state, state);
    });
  });
  return result;
}

// The assume that could move to the current position.
struct Moving {
  Position from;
  Facts facts;          // without what the assume itself tests
  bool straight = true; // no arm entered, no hint passed, nothing changed that is kept
};

class Search {
public:
  explicit Search(VersionTask& task)
      : task_(task), cfg_(task.facts.cfg()), constants_(cfg_, task.version),
        known_(solve(cfg_, constants_)), unserved_(unserved_hints(task)),
        at_end_(cfg_.blocks().size()) {}

  std::map<Position, AssumeMove> run() {
    for (const BlockId b : cfg_.reverse_postorder()) look(b);
    std::map<Position, AssumeMove> moves;
    for (const auto& [from, hints] : hints_)
      if (auto move = path(from, hints)) moves.emplace(from, std::move(*move));
    if (task_.input.options.text("far", "true") != "false")
      for (const auto& [from, to] : farthest_)
        if (to > from + 1 && !hints_.contains(from))
          if (auto move = path(from, {to})) moves.emplace(from, std::move(*move));
    return moves;
  }

private:
  // The assume that could move into a block with a single predecessor.
  std::optional<Moving> entering(BlockId b) const {
    const auto& ways = cfg_[b].predecessors;
    if (ways.size() != 1 || cfg_[b].root) return std::nullopt;
    auto moving = at_end_[ways.front().id];
    if (moving && cfg_[ways.front()].successors.size() > 1) moving->straight = false;
    return moving;
  }

  void look(BlockId b) {
    find_kept(b);
    std::optional<Moving> moving = entering(b);
    Facts facts = known_[b.id] ? *known_[b.id] : Facts{};
    for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
      pass(moving, at, facts);
      constants_.transfer(facts, at);
    }
    at_end_[b.id] = std::move(moving);
  }

  void find_kept(BlockId b) {
    task_.facts.liveness().replay(b, [&](Position at, const VarSet& after) {
      const auto* const assume = std::get_if<Assume>(&task_.version.body[at].instr);
      if (assume == nullptr) return;
      std::vector<Var>& kept = kept_[at] = variables_of(*assume);
      if (!assume->guards.empty())
        for (const Var x : after)
          if (!contains(kept, x)) kept.push_back(x);
    });
  }

  void pass(std::optional<Moving>& moving, Position at, const Facts& facts) {
    const Instruction& instr = task_.version.body[at].instr;
    if (moving && moving->straight) farthest_[moving->from] = at;
    if (const auto* const assume = std::get_if<Assume>(&instr)) {
      moving = Moving{at, facts, true};
    } else if (moving && unserved_[at] != 0) {
      hints_[moving->from].push_back(at);
      moving.reset();
    } else if (moving && !effect_free_and_total(instr, moving->facts)) {
      moving.reset();
    } else if (moving) {
      const Var* const changed = changed_variable(instr);
      if (std::holds_alternative<GuardHint>(instr) ||
          (changed != nullptr && contains(kept_.at(moving->from), *changed)))
        moving->straight = false;
      learn(instr, moving->facts);
    }
  }

  // Empty: an arm without a target has another predecessor.
  std::optional<AssumeMove> path(Position from, const std::vector<Position>& to) const {
    AssumeMove move{to, {}, {}, {}, kept_.at(from)};
    const BlockId first = cfg_.block_of(from);
    std::map<BlockId, Position> ends; // of the blocks on the path
    ends.emplace(first, cfg_[first].end);
    for (const Position target : to) {
      for (BlockId b = cfg_.block_of(target); !ends.contains(b); b = cfg_[b].predecessors.front())
        ends.emplace(b, cfg_[b].end);
      ends[cfg_.block_of(target)] = target;
    }
    for (const auto& [b, end] : ends) {
      for (Position at = b == first ? from + 1 : cfg_[b].begin; at < end; ++at)
        move.passed.push_back(at);
      if (end < cfg_[b].end) continue;
      for (const BlockId arm : cfg_[b].successors)
        if (!ends.contains(arm)) move.other_arms.push_back(arm);
    }
    if (std::any_of(move.other_arms.begin(), move.other_arms.end(),
                    [&](BlockId arm) { return cfg_[arm].predecessors.size() != 1; }))
      return std::nullopt;
    for (const Position at : move.passed)
      if (const Var* const x = changed_variable(task_.version.body[at].instr))
        if (!contains(move.changed, *x)) move.changed.push_back(*x);
    return move;
  }

  VersionTask& task_;
  const Cfg& cfg_;
  Constants constants_;
  Solution<Constants> known_;
  std::vector<std::uint8_t> unserved_;
  std::vector<std::optional<Moving>> at_end_;           // by block
  std::unordered_map<Position, std::vector<Var>> kept_; // by the assume
  std::map<Position, std::vector<Position>> hints_;
  std::map<Position, Position> farthest_;
};

// By the position of the assume.
std::map<Position, AssumeMove> assume_moves(VersionTask& task) { return Search(task).run(); }

class Mover {
public:
  Mover(VersionTask& task, Position from, const AssumeMove& move, FreshNames& fresh)
      : task_(task), from_(from), move_(move), fresh_(fresh),
        assume_(std::get<Assume>(task.version.body[from].instr)) {
    for (const Var x : move.changed)
      if (contains(move.kept, x))
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

  // If a guard is false, the input has deoptimized before: the state is that at the old place,
  // where unknown variables are dead.
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
