#include "sourir/analysis/usable_exits.h"

#include "sourir/analysis/effect_free.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/exits.h"

namespace sourir {

UsableExits::UsableExits(const Version& version) : version_(version), reads_(version.body.size()) {
  for (Position at = 0; at < reads_.size(); ++at)
    if (const Metadata* const exit = exit_of(version.body[at].instr))
      reads_[at] = variables_of(*exit);
}

bool UsableExits::changes(Position at, Position exit) const {
  const Var* const changed = changed_variable(version_.body[at].instr);
  return changed != nullptr && contains(reads_[exit], *changed);
}

void UsableExits::transfer(UsableExit& usable, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  if (exit_of(instr) != nullptr)
    usable.at = at;
  else if (usable.at && (!re_executable(instr) || changes(at, *usable.at)))
    usable.at.reset();
}

namespace {

// Follows the reasons along the paths on which there is no exit, from where one ended.
class ExitReasons {
public:
  explicit ExitReasons(VersionAnalyses& facts)
      : version_(facts.version()), cfg_(facts.cfg()), problem_(version_),
        solution_(solve(cfg_, problem_)), begin_(cfg_.blocks().size()), end_(begin_.size()) {}

  std::vector<UsableExitOrWhy> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const BlockId b : cfg_.reverse_postorder())
        if (!known(end_[b.id])) changed |= visit(b);
    }
    std::vector<UsableExitOrWhy> result(version_.body.size());
    for (const BlockId b : cfg_.reverse_postorder()) {
      if (!known(begin_[b.id])) begin_[b.id] = NoUsableExit{};
      UsableExitOrWhy now = begin_[b.id];
      for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
        result[at] = now;
        transfer(now, at);
      }
    }
    return result;
  }

private:
  static bool known(const UsableExitOrWhy& e) { return !std::holds_alternative<std::monostate>(e); }

  // True if the state at the end of the block has become known.
  bool visit(BlockId b) {
    if (!known(begin_[b.id])) begin_[b.id] = entering(b);
    UsableExitOrWhy now = begin_[b.id];
    for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) transfer(now, at);
    end_[b.id] = now;
    return known(now);
  }

  UsableExitOrWhy entering(BlockId b) const {
    if (solution_[b.id]->at) return *solution_[b.id]->at;
    if (cfg_[b].root) return NoUsableExit{NoUsableExit::Why::NotPassed};
    bool all_exits = true;
    for (const BlockId p : cfg_[b].predecessors) {
      if (std::holds_alternative<NoUsableExit>(end_[p.id])) return end_[p.id];
      all_exits &= !cfg_.reachable(p) || known(end_[p.id]);
    }
    return all_exits ? UsableExitOrWhy(NoUsableExit{}) : UsableExitOrWhy();
  }

  void transfer(UsableExitOrWhy& now, Position at) const {
    const Instruction& instr = version_.body[at].instr;
    const Position* const exit = std::get_if<Position>(&now);
    if (exit_of(instr) != nullptr)
      now = at;
    else if (exit != nullptr && !re_executable(instr))
      now = NoUsableExit{NoUsableExit::Why::NotRepeatable, at};
    else if (exit != nullptr && problem_.changes(at, *exit))
      now = NoUsableExit{NoUsableExit::Why::Changed, at};
  }

  const Version& version_;
  const Cfg& cfg_;
  UsableExits problem_;
  Solution<UsableExits> solution_;
  std::vector<UsableExitOrWhy> begin_, end_; // by block
};

} // namespace

std::vector<UsableExitOrWhy> usable_exits(VersionAnalyses& facts) {
  return ExitReasons(facts).run();
}

} // namespace sourir
