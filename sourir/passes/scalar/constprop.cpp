#include "sourir/passes/scalar/constprop.h"

#include "sourir/analysis/constants.h"
#include "sourir/analysis/guards.h"
#include "sourir/passes/core/arities.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

SimpleExpr simple(const Literal& literal) {
  return match(literal, [](const auto& l) { return SimpleExpr(l); });
}

std::optional<Literal> value_of(const Fact& fact) { return fact.equals; }

void fold_operand(SimpleExpr& operand, const Facts& facts) {
  if (!std::holds_alternative<Var>(operand)) return;
  if (const auto value = value_of(facts.about(operand))) operand = simple(*value);
}

void fold_operands(Expr& e, const Facts& facts) {
  match(
      e, [&](SimpleExpr& se) { fold_operand(se, facts); },
      [&](Unary& u) { fold_operand(u.operand, facts); },
      [&](Binary& b) { fold_operand(b.left, facts), fold_operand(b.right, facts); },
      [&](Index& i) { fold_operand(i.index, facts); }, [](Length&) {},
      [&](KindTest& t) { fold_operand(t.operand, facts); },
      [&](ElementsTest& t) { fold_operand(t.operand, facts); });
}

Expr folded(const Expr& e, const Facts& facts) {
  if (const auto value = value_of(evaluate(e, facts)); value && is_total(e, facts))
    return simple(*value);
  if (const auto* const binary = std::get_if<Binary>(&e))
    if (const auto operand = identity(*binary, facts)) return folded(*operand, facts);
  Expr result = e;
  fold_operands(result, facts);
  return result;
}

// A guard may fail: it counts as false then, so its value is all that matters.
std::vector<Expr> fold_guards(const std::vector<Expr>& guards, const Facts& before) {
  Facts facts = before;
  std::vector<Expr> left;
  for (const Expr& g : guards) {
    const auto value = value_of(evaluate(g, facts));
    if (value == Literal(true) && is_total(g, facts)) continue;
    left.push_back(folded(g, facts));
    Facts after = facts;
    const bool may_hold = learn(g, true, after) && (!value || value == Literal(true));
    if (!may_hold) left.back() = SimpleExpr(false);
    if (left.back() == Expr(SimpleExpr(false))) break; // the others are never tested
    facts = std::move(after);
  }
  return left;
}

Instruction fold(const Instruction& instr, const Facts& facts, Arities& arities) {
  if (std::holds_alternative<GuardHint>(instr)) return instr;
  if (const auto* const assume = std::get_if<Assume>(&instr)) {
    Assume result = *assume;
    result.guards = fold_guards(assume->guards, facts);
    map_expressions(result.exit, [&](Expr& e) { e = folded(e, facts); });
    return result;
  }
  Instruction result = instr;
  map_expressions(result, [&](Expr& e) { e = folded(e, facts); });
  if (auto* const call = std::get_if<Call>(&result)) {
    const auto& callee = std::get<Call>(instr).callee;
    const auto value = value_of(evaluate(call->callee, facts));
    const FunName* const name = value ? std::get_if<FunName>(&*value) : nullptr;
    if (value && (name == nullptr || !arities.fit(*name, call->arguments.size())))
      call->callee = callee;
  }
  return result;
}

// Whether some variable occurs in two tests of the version, one of them a guard or a branch.
bool tests_twice(const Version& version) {
  std::unordered_set<Var> seen;
  bool twice = false, decided = false;
  const auto add = [&](const Expr& e) {
    std::vector<Var> here; // one that stands twice in a test is tested once
    for_each_variable(e, [&](Var x) {
      if (!contains(here, x)) here.push_back(x);
    });
    for (const Var x : here) twice |= !seen.insert(x).second;
  };
  for (const Stmt& stmt : version.body) {
    if (const auto* const branch = std::get_if<Branch>(&stmt.instr)) {
      add(branch->condition);
      decided = true;
    } else if (const auto* const check = std::get_if<Assert>(&stmt.instr)) {
      add(check->condition);
    } else if (const auto* const assume = std::get_if<Assume>(&stmt.instr)) {
      for (const Expr& g : assume->guards) add(g);
      decided |= !assume->guards.empty();
    }
  }
  return twice && decided;
}

// Decides branches, and removes guards, by an assume, assert or branch on every path to them, where
// constants do not.
class GuardedTests {
public:
  explicit GuardedTests(VersionTask& task)
      : task_(task), cfg_(task.facts.cfg()), guards_(task.version, cfg_, nullptr) {}

  void run() {
    const auto solution = solve(cfg_, guards_);
    const auto& constants = task_.facts.constants();
    for (const BlockId b : cfg_.reverse_postorder()) {
      if (!solution[b.id] || !constants[b.id] || !has_tests(b)) continue;
      Known known{*solution[b.id], *constants[b.id]};
      for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
        decide(at, known);
        guards_.transfer(known.guards, at);
        task_.facts.constants_problem().transfer(known.facts, at);
      }
    }
  }

private:
  struct Known {
    AvailableGuards::State guards;
    Facts facts;
  };

  bool has_tests(BlockId b) const {
    for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
      const Instruction& instr = task_.version.body[at].instr;
      const auto* const assume = std::get_if<Assume>(&instr);
      if (std::holds_alternative<Branch>(instr) || (assume && !assume->guards.empty())) return true;
    }
    return false;
  }

  void decide(Position at, const Known& known) {
    const Instruction* const instr = task_.edit.current(at);
    if (instr == nullptr) return;
    if (const auto* const assume = std::get_if<Assume>(instr); assume && !assume->guards.empty()) {
      auto needed = without_implied(without_contradictions(assume->guards, known), known);
      if (needed != assume->guards) task_.edit.replace(at, Assume{std::move(needed), assume->exit});
    } else if (const auto* const branch = std::get_if<Branch>(instr)) {
      if (std::holds_alternative<SimpleExpr>(branch->condition)) return;
      const Expr& condition = std::get<Branch>(task_.version.body[at].instr).condition;
      if (const auto value = guards_.value(known.guards, condition, known.facts))
        task_.edit.replace(at, Branch{SimpleExpr(*value), branch->if_true, branch->if_false});
    }
  }

  // As they are, or ending with false if not all can hold, whichever their order.
  std::vector<Expr> without_contradictions(const std::vector<Expr>& guards, const Known& known) {
    std::vector<Expr> found = up_to_contradiction(guards, known);
    if (found.back() == Expr(SimpleExpr(false))) return found;
    std::vector<Expr> reversed(guards.rbegin(), guards.rend());
    if (up_to_contradiction(reversed, known) != reversed) return {SimpleExpr(false)};
    return found;
  }

  // With false instead of the first guard that cannot hold where those before it do, and nothing
  // behind it.
  std::vector<Expr> up_to_contradiction(std::vector<Expr> guards, Known known) {
    for (std::size_t i = 0; i < guards.size(); ++i) {
      if (contradicts(guards[i], known)) {
        guards.resize(i);
        guards.emplace_back(SimpleExpr(false));
        break;
      }
      hold(guards[i], known);
    }
    return guards;
  }

  // Without the guards that follow from those before them, then without those that follow from the
  // ones after them, which stay.
  std::vector<Expr> without_implied(std::vector<Expr> guards, const Known& before) {
    for (int direction = 0; direction < 2; ++direction) {
      Known known = before;
      std::vector<Expr> needed;
      for (Expr& g : guards)
        if (!implied(g, known)) hold(needed.emplace_back(std::move(g)), known);
      std::reverse(needed.begin(), needed.end());
      guards = std::move(needed);
    }
    return guards;
  }

  bool implied(const Expr& guard, const Known& known) const {
    if (value_of(evaluate(guard, known.facts)) == Literal(true) && is_total(guard, known.facts))
      return true;
    return guards_.value(known.guards, guard, known.facts) == true;
  }

  bool contradicts(const Expr& guard, const Known& known) const {
    if (value_of(evaluate(guard, known.facts)) == Literal(false) && is_total(guard, known.facts))
      return true;
    Facts after = known.facts;
    return !learn(guard, true, after) || guards_.value(known.guards, guard, known.facts) == false;
  }

  void hold(const Expr& guard, Known& known) {
    guards_.hold(known.guards, guard);
    Facts after = known.facts;
    if (learn(guard, true, after)) known.facts = std::move(after);
  }

  VersionTask& task_;
  const Cfg& cfg_;
  AvailableGuards guards_;
};

// Whether it goes on elsewhere where its condition does not hold.
bool has_outcomes(const Instruction& instr) {
  return std::holds_alternative<Branch>(instr) || std::holds_alternative<Assume>(instr);
}

// Whether it is a branch that always fails, as the same assert does.
bool never_boolean(const Instruction& instr, const Facts& facts) {
  const auto* const branch = std::get_if<Branch>(&instr);
  if (branch == nullptr) return false;
  Facts after = facts;
  return !learn_evaluated(branch->condition, after) ||
         !evaluate(branch->condition, facts).types.has(Kind::Bool);
}

// Replaces the rest of a block by `stop`, from the position on, which is behind an instruction that
// always fails.
void cut_rest(VersionTask& task, const Block& block, Position from) {
  if (from == block.end) return task.edit.append(from - 1, Stop{});
  if (!std::holds_alternative<Stop>(task.version.body[from].instr)) task.edit.replace(from, Stop{});
  for (Position at = from + 1; at < block.end; ++at) task.edit.erase(at);
}

} // namespace

std::optional<PassResult> constprop(const PassInput& input) {
  Arities arities(input.program);
  return rewrite_versions(input, [&](VersionTask& task) {
    const Cfg& cfg = task.facts.cfg();
    Constants& constants = task.facts.constants_problem();
    const auto& solution = task.facts.constants();
    for (const BlockId b : cfg.reverse_postorder()) {
      if (!solution[b.id]) continue;
      Facts facts = *solution[b.id];
      for (Position at = cfg[b].begin; at < cfg[b].end; ++at) {
        const Instruction& instr = task.version.body[at].instr;
        const Instruction now = fold(instr, facts, arities);
        if (now != instr) task.edit.replace(at, now);
        const bool executed = facts.passed;
        if (executed && never_boolean(instr, facts)) {
          task.edit.replace(at, Assert{std::get<Branch>(instr).condition});
          task.edit.append(at, Stop{});
          break;
        }
        constants.transfer(facts, at);
        if (facts.passed || !executed || has_outcomes(now)) continue;
        cut_rest(task, cfg[b], at + 1);
        break;
      }
    }
    if (tests_twice(task.version)) GuardedTests(task).run();
  });
}

} // namespace sourir
