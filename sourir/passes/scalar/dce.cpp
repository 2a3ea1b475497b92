#include "sourir/passes/scalar/dce.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/scalar/dead_variables.h"
#include "sourir/passes/scalar/lost_values.h"
#include "sourir/syntax/map_expressions.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

bool mentions(const Expr& e, const std::unordered_set<Var>& gone) {
  bool found = false;
  for_each_variable(e, [&](Var x) { found |= gone.contains(x); });
  return found;
}

// Seeded bug 12.
Instruction without_callers(Instruction instr) {
  if (auto* const assume = std::get_if<Assume>(&instr)) assume->exit.outer.clear();
  if (auto* const anchor = std::get_if<Anchor>(&instr)) anchor->exit.outer.clear();
  return instr;
}

// Liveness in which a definition that can go uses nothing where its value is not live.
struct NeededBehind {
  using State = VarSet;
  static constexpr Direction kDirection = Direction::Backward;

  State boundary(BlockId) const { return {}; }
  void transfer(State& live, Position at) const {
    const Instruction& instr = uses.version().body[at].instr;
    if (mutant(11) && exit_of(instr) != nullptr) return;
    if (mutant(12) && exit_of(instr) != nullptr)
      LiveVariables::step(live, without_callers(instr));
    else if (!dead(live, at))
      LiveVariables::step(live, instr);
  }
  // The instruction does nothing but to set a variable whose value nobody looks at.
  bool dead(const State& live, Position at) const {
    const Instruction& instr = uses.version().body[at].instr;
    if (!std::holds_alternative<Assign>(instr) && !std::holds_alternative<Decl>(instr))
      return false;
    return !uses.essential(at) && !live.contains(*defined_by(instr));
  }

  const VariableUses& uses;
};

bool sets_itself(const Instruction& instr) {
  const auto* const assign = std::get_if<Assign>(&instr);
  return assign != nullptr && assign->value == Expr(SimpleExpr(assign->name));
}

class DeadCode {
public:
  explicit DeadCode(VersionTask& task)
      : task_(task), uses_(task.facts), dead_(dead_definitions()),
        variables_(dead_variables(task.facts, uses_, dead_)), last_drops_(last_drops()) {}

  void remove() {
    rebuild_in_varmaps();
    for (Position at = 0; at < task_.version.body.size(); ++at) visit(at);
    if (task_.input.maps && task_.edit.rewrites() > 0)
      record_lost_values(task_.facts.cfg(), task_.edit);
  }

private:
  // Nobody looks at the value before it is overwritten.
  std::vector<std::uint8_t> dead_definitions() {
    std::vector<std::uint8_t> dead(task_.version.body.size());
    const Cfg& cfg = task_.facts.cfg();
    NeededBehind analysis{uses_};
    const auto solution = solve(cfg, analysis);
    for (const BlockId b : cfg.reverse_postorder()) {
      VarSet state = *solution[b.id];
      replay(cfg, analysis, b, state, [&](Position at, const VarSet& live) {
        const bool same = sets_itself(task_.version.body[at].instr);
        dead[at] = same || analysis.dead(live, at) ? 1 : 0;
      });
    }
    return dead;
  }

  void rebuild_in_varmaps() {
    if (mutant(6)) return;
    for (auto& [at, exit] : variables_.rebuilt) {
      Instruction instr = task_.version.body[at].instr;
      match_exit(instr, std::move(exit));
      task_.edit.replace(at, std::move(instr));
    }
  }

  static void match_exit(Instruction& instr, Metadata exit) {
    if (auto* const assume = std::get_if<Assume>(&instr))
      assume->exit = std::move(exit);
    else
      std::get<Anchor>(instr).exit = std::move(exit);
  }

  void visit(Position at) {
    const Instruction& instr = task_.version.body[at].instr;
    if (const auto* const hint = std::get_if<GuardHint>(&instr)) return visit_hint(at, *hint);
    const Var* const name = uses_.defines(at);
    const auto* const drop = std::get_if<Drop>(&instr);
    const Var* const subject = drop != nullptr ? &drop->name : name;
    if (subject == nullptr) return;
    if (variables_.removed.contains(*subject)) return task_.edit.remove(at);
    if (drop != nullptr && last_drops_[at] != 0) return task_.edit.remove(at);
    if (name == nullptr || uses_.essential(at)) return;
    if (dead_[at] == 0 && variables_.needed.contains(*name)) return;
    if (std::holds_alternative<Assign>(instr)) return task_.edit.remove(at);
    if (const auto* const decl = std::get_if<Decl>(&instr); decl != nullptr && decl->value)
      task_.edit.replace(at, Decl{decl->name, {}});
  }

  // Drops from where the way leads straight out of the function, of names that are not used again:
  // the variables may as well go with the others.
  std::vector<std::uint8_t> last_drops() const {
    const auto& body = task_.version.body;
    std::vector<std::uint8_t> last(body.size());
    for (const Block& block : task_.facts.cfg().blocks()) {
      if (block.begin == block.end) continue;
      const Instruction& way_out = body[block.end - 1].instr;
      if (!std::holds_alternative<Return>(way_out) && !std::holds_alternative<Stop>(way_out))
        continue;
      std::unordered_set<Var> declared; // behind
      for (Position at = block.end; at-- > block.begin;) {
        const ScopeEffect effect = scope_effect(body[at].instr);
        if (effect.declares != nullptr) declared.insert(*effect.declares);
        if (effect.drops != nullptr) last[at] = declared.contains(*effect.drops) ? 0 : 1;
      }
    }
    return last;
  }

  // Hints keep no variable alive.
  void visit_hint(Position at, const GuardHint& hint) {
    GuardHint left = hint;
    std::erase_if(left.guards, [&](const Expr& e) { return mentions(e, variables_.removed); });
    if (left.guards.size() == hint.guards.size()) return;
    if (left.guards.empty())
      task_.edit.remove(at);
    else
      task_.edit.replace(at, std::move(left));
  }

  VersionTask& task_;
  VariableUses uses_;
  std::vector<std::uint8_t> dead_; // by position
  DeadVariables variables_;
  std::vector<std::uint8_t> last_drops_; // by position
};

} // namespace

std::optional<PassResult> dce(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { DeadCode(task).remove(); });
}

} // namespace sourir
