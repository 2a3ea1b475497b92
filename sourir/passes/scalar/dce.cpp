#include "sourir/passes/scalar/dce.h"

#include "sourir/analysis/constants.h"
#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/liveness.h"
#include "sourir/analysis/values.h"
#include "sourir/analysis/var_map.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_edit.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sourir {
namespace {

// --- Uses and definitions ------------------------------------------------------------------------

// The uses and definitions of the variables of a version.
class VariableUses {
public:
  explicit VariableUses(VersionAnalyses& facts);

  // The variable for which the instruction computes a value, or whose own new array it makes or
  // fills, which is all that it does; null: it does more.
  const Var* defines(Position at) const;
  // The instruction stays even if its value is dead: it may fail.
  bool essential(Position at) const { return essential_[at] != 0; }
  bool parameter(Var x) const { return parameters_.contains(x); }
  // Every definition makes a fresh array.
  bool own_array(Var x) const { return !defined_otherwise_.contains(x); }
  const Version& version() const { return version_; }

private:
  void note(const Instruction& instr);

  const Version& version_;
  std::vector<std::uint8_t> essential_;
  std::unordered_set<Var> parameters_, defined_otherwise_;
};

struct DeadVariables {
  std::unordered_set<Var> needed;  // some use of the value remains
  std::unordered_set<Var> removed; // with their declarations, assignments and drops
  // By position: exits whose varmaps compute the values of removed variables.
  std::unordered_map<Position, Metadata> rebuilt;
};

// The longest array whose allocation may be removed; a longer one may reach a limit.
constexpr std::int64_t kLongest = 1 << 16;

bool in_range(const Expr& length, const Facts& facts) {
  const Fact fact = evaluate(length, facts);
  const auto* const n = fact.equals ? std::get_if<std::int64_t>(&*fact.equals) : nullptr;
  return n != nullptr && is_total(length, facts) && *n >= 0 && *n <= kLongest;
}

bool all_total(const std::vector<Expr>& list, const Facts& facts) {
  return std::all_of(list.begin(), list.end(), [&](const Expr& e) { return is_total(e, facts); });
}

// Whether the instruction cannot fail, and its only effect is the value of its variable.
bool is_total(const Instruction& instr, const Facts& facts) {
  if (const auto* const i = std::get_if<Decl>(&instr))
    return !i->value || is_total(*i->value, facts);
  if (const auto* const i = std::get_if<Assign>(&instr)) return is_total(i->value, facts);
  if (const auto* const i = std::get_if<ArrayDecl>(&instr)) return in_range(i->length, facts);
  if (const auto* const i = std::get_if<ArrayDef>(&instr)) return all_total(i->elements, facts);
  if (const auto* const i = std::get_if<ArrayUpdate>(&instr)) {
    const Fact index = evaluate(i->index, facts);
    if (!index.equals || !std::holds_alternative<std::int64_t>(*index.equals)) return false;
    const Index place{i->array, std::get<std::int64_t>(*index.equals)};
    return is_total(place, facts) && is_total(i->index, facts) && is_total(i->value, facts);
  }
  return false;
}

VariableUses::VariableUses(VersionAnalyses& facts)
    : version_(facts.version()), essential_(version_.body.size(), 1) {
  for (const Var x : facts.function().params) {
    parameters_.insert(x);
    defined_otherwise_.insert(x);
  }
  const Cfg& cfg = facts.cfg();
  Constants& constants = facts.constants_problem();
  const auto& solution = facts.constants();
  for (const BlockId b : cfg.reverse_postorder()) {
    if (!solution[b.id]) continue;
    Facts state = *solution[b.id];
    replay(cfg, constants, b, state, [&](Position at, const Facts& before) {
      essential_[at] = is_total(version_.body[at].instr, before) ? 0 : 1;
    });
  }
  for (const Stmt& stmt : version_.body) note(stmt.instr);
  for (Position at = 0; at < version_.body.size(); ++at) {
    const auto* const store = std::get_if<ArrayUpdate>(&version_.body[at].instr);
    if (store != nullptr && !own_array(store->array)) essential_[at] = 1;
  }
}

void VariableUses::note(const Instruction& instr) {
  for_each_name(instr, [&](NameUse use) {
    if (use.role != NameRole::Declare && use.role != NameRole::Assign) return;
    const Var x{use.id};
    const bool fresh =
        std::holds_alternative<ArrayDecl>(instr) || std::holds_alternative<ArrayDef>(instr);
    if (!fresh) defined_otherwise_.insert(x);
  });
}

const Var* VariableUses::defines(Position at) const {
  const Instruction& instr = version_.body[at].instr;
  if (const auto* const i = std::get_if<Decl>(&instr)) return &i->name;
  if (const auto* const i = std::get_if<Assign>(&instr)) return &i->name;
  if (const auto* const i = std::get_if<ArrayDecl>(&instr)) return &i->name;
  if (const auto* const i = std::get_if<ArrayDef>(&instr)) return &i->name;
  if (const auto* const i = std::get_if<ArrayUpdate>(&instr)) return &i->array;
  return nullptr;
}

// visit(Var) for each variable whose value the instruction uses; hints use none.
template <class Visit>
void for_each_use(const Instruction& instr, Visit&& visit) {
  if (std::holds_alternative<GuardHint>(instr)) return;
  for_each_name(instr, [&](NameUse use) {
    switch (use.role) {
    case NameRole::Use:
    case NameRole::Update:
    case NameRole::ExitUse:
    case NameRole::WithUse:
    case NameRole::WithUpdate: visit(Var{use.id}); break;
    default: break;
    }
  });
}

// --- Dead variables, by marking from the essential instructions ----------------------------------

class Marking {
public:
  Marking(VersionAnalyses& facts, const VariableUses& uses, const std::vector<std::uint8_t>& dead)
      : facts_(facts), version_(facts.version()), uses_(uses), dead_(dead) {}

  DeadVariables mark() {
    rebuild();
    find_kept();
    for (Position at = 0; at < version_.body.size(); ++at) {
      const Var* const x = uses_.defines(at);
      if (x == nullptr || uses_.essential(at) || (kept_.contains(*x) && makes_array(at))) {
        need_uses(at);
      } else {
        auto& at_all = definitions_[*x];
        if (dead_[at] == 0) at_all.push_back(at);
      }
    }
    while (!work_.empty()) {
      const Var x = work_.back();
      work_.pop_back();
      for (const Position at : definitions_[x]) need_uses(at);
    }
    collect_removed();
    return std::move(result_);
  }

private:
  void need_uses(Position at) {
    const auto need = [&](Var x) {
      if (result_.needed.insert(x).second) work_.push_back(x);
    };
    if (const auto found = result_.rebuilt.find(at); found != result_.rebuilt.end()) {
      const auto* const assume = std::get_if<Assume>(&version_.body[at].instr);
      if (assume != nullptr) for_each_use(GuardsOf(*assume), need);
      for_each_use(Instruction(Anchor{found->second}), need);
    } else {
      for_each_use(version_.body[at].instr, need);
    }
  }
  static Instruction GuardsOf(const Assume& assume) { return Assume{assume.guards, {}}; }

  // Finds the exits for variables that only varmaps use and whose values are known at each of them.
  void rebuild() {
    find_candidates();
    if (candidates_.empty()) return;
    const Cfg& cfg = facts_.cfg();
    ValuesAnalysis values(version_);
    const auto solution = solve(cfg, values);
    for (int n = 0; n < 2 && !candidates_.empty(); ++n) {
      result_.rebuilt.clear();
      for (const BlockId b : cfg.reverse_postorder()) {
        KnownValues state = *solution[b.id];
        replay(cfg, values, b, state, [&](Position at, const KnownValues& known) {
          if (const Metadata* exit = exit_of(version_.body[at].instr))
            rebuild_exit(at, *exit, known);
        });
      }
    }
  }

  void find_candidates() {
    for (Position at = 0; at < version_.body.size(); ++at)
      if (const Var* const x = uses_.defines(at);
          x != nullptr && !uses_.essential(at) && !uses_.parameter(*x))
        candidates_.insert(*x);
    for (Position at = 0; at < version_.body.size(); ++at) {
      const Instruction& instr = version_.body[at].instr;
      const Var* const own = uses_.defines(at);
      if (std::holds_alternative<GuardHint>(instr) || dead_[at] != 0) continue;
      for_each_name(instr, [&](NameUse use) {
        const bool inside = use.role == NameRole::Use || use.role == NameRole::Update ||
                            use.role == NameRole::WithUse || use.role == NameRole::WithUpdate;
        const bool defined = use.role == NameRole::Declare || use.role == NameRole::Assign;
        if (inside || (defined && (own == nullptr || uses_.essential(at))))
          candidates_.erase(Var{use.id});
      });
    }
  }

  // The first iteration drops the candidates that some exit cannot rebuild; in the second all fit.
  void rebuild_exit(Position at, const Metadata& exit, const KnownValues& known) {
    Metadata now = exit;
    map_expressions(now, [&](Expr& e) {
      Substitution values;
      for_each_variable(e, [&](Var x) {
        if (!candidates_.contains(x)) return;
        if (const Expr* const value = known.values.find(x)) values.emplace(x, *value);
      });
      const auto rebuilt = substitute(e, values);
      for_each_variable(e, [&](Var x) {
        if (!rebuilt || !values.contains(x)) candidates_.erase(x);
      });
      if (rebuilt) e = *rebuilt;
    });
    if (now != exit) result_.rebuilt.insert_or_assign(at, std::move(now));
  }

  // Definitions that are removed only together with their variable.
  bool makes_array(Position at) const {
    const Instruction& instr = version_.body[at].instr;
    return !std::holds_alternative<Assign>(instr) && !std::holds_alternative<Decl>(instr);
  }

  // Variables with an instruction that stays, whether or not their value is needed.
  void find_kept() {
    for (Position at = 0; at < version_.body.size(); ++at) {
      for_each_name(version_.body[at].instr, [&](NameUse use) {
        const Var* const x = uses_.defines(at);
        const bool only = x != nullptr && !uses_.essential(at);
        if ((use.role == NameRole::Declare || use.role == NameRole::Assign ||
             use.role == NameRole::Update) &&
            !only)
          kept_.insert(Var{use.id});
      });
    }
  }

  void collect_removed() {
    for (const auto& [x, at] : definitions_)
      if (!result_.needed.contains(x) && !kept_.contains(x) && !uses_.parameter(x))
        result_.removed.insert(x);
  }

  VersionAnalyses& facts_;
  const Version& version_;
  const VariableUses& uses_;
  const std::vector<std::uint8_t>& dead_;
  std::unordered_set<Var> candidates_, kept_;
  std::unordered_map<Var, std::vector<Position>> definitions_;
  std::vector<Var> work_;
  DeadVariables result_;
};

// `dead`: by position, definitions whose value is overwritten before it is used.
DeadVariables dead_variables(VersionAnalyses& facts, const VariableUses& uses,
                             const std::vector<std::uint8_t>& dead) {
  return Marking(facts, uses, dead).mark();
}

// --- Optimized-out variables ---------------------------------------------------------------------

// For the state map: the variables of the input whose value the output does not hold once
// definitions are removed. By variable: its value over the variables of the output, or empty.
struct OptimizedOutValues {
  VarMap<std::optional<Expr>> variables;

  bool join(const OptimizedOutValues& other);
  friend bool operator==(const OptimizedOutValues&, const OptimizedOutValues&) = default;
};

class OptimizedOutAnalysis {
public:
  using State = OptimizedOutValues;
  static constexpr Direction kDirection = Direction::Forward;

  // `reached`: whether execution may come to a block, by block; empty: it may come to all.
  OptimizedOutAnalysis(const VersionEdit& edit, const Cfg& cfg, std::vector<std::uint8_t> reached)
      : edit_(edit), cfg_(cfg), reached_(std::move(reached)) {}
  OptimizedOutValues boundary(BlockId) const { return {}; }
  void transfer(OptimizedOutValues& state, Position at) const;
  // Code that execution does not come to says nothing about the values after it.
  bool edge(OptimizedOutValues& /*state*/, BlockId b, std::size_t k) const {
    return reached_.empty() || reached_[cfg_[b].successors[k].id] != 0;
  }

private:
  const VersionEdit& edit_;
  const Cfg& cfg_;
  std::vector<std::uint8_t> reached_;
};

bool mentions(const std::optional<Expr>& e, Var x) {
  bool found = false;
  if (e) for_each_variable(*e, [&](Var y) { found |= x == y; });
  return found;
}

// After a change of the output's x.
void forget(OptimizedOutValues& state, Var x) {
  std::vector<Var> gone;
  for (const auto& entry : state.variables)
    if (mentions(entry.fact, x)) gone.push_back(entry.name);
  for (const Var y : gone) state.variables.set(y, std::nullopt);
}

// The value of the removed definition; heap reads are not repeated later.
std::optional<Expr> value_of(const Instruction& instr) {
  std::optional<Expr> value;
  if (const auto* const decl = std::get_if<Decl>(&instr))
    value = decl->value ? *decl->value : Expr(SimpleExpr(Nil{}));
  if (const auto* const assign = std::get_if<Assign>(&instr)) value = assign->value;
  if (value && std::holds_alternative<Index>(*value)) value.reset();
  return value;
}

std::optional<Expr> in_output(const std::optional<Expr>& value, const OptimizedOutValues& state) {
  if (!value) return std::nullopt;
  Substitution values;
  bool known = true;
  for_each_variable(*value, [&](Var y) {
    const auto* const gone = state.variables.find(y);
    if (gone == nullptr) return;
    known &= gone->has_value();
    if (*gone) values.insert_or_assign(y, **gone);
  });
  return known ? substitute(*value, values) : std::nullopt;
}

bool same_value(const Instruction& instr) {
  const auto* const assign = std::get_if<Assign>(&instr);
  return assign != nullptr && assign->value == Expr(SimpleExpr(assign->name));
}

bool OptimizedOutValues::join(const OptimizedOutValues& other) {
  bool changed = false;
  std::vector<Var> gone;
  for (const auto& entry : variables)
    if (const auto* const theirs = other.variables.find(entry.name);
        entry.fact && (theirs == nullptr || *theirs != entry.fact))
      gone.push_back(entry.name);
  for (const auto& entry : other.variables)
    if (variables.find(entry.name) == nullptr) gone.push_back(entry.name);
  for (const Var x : gone) {
    variables.set(x, std::nullopt);
    changed = true;
  }
  return changed;
}

void OptimizedOutAnalysis::transfer(OptimizedOutValues& state, Position at) const {
  const Instruction& before = edit_.version().body[at].instr;
  const Instruction* const now = edit_.current(at);
  if (const Var* const dropped = scope_effect(before).drops) {
    state.variables.erase(*dropped);
    forget(state, *dropped);
    return;
  }
  const Var* const x = defined_by(before);
  if (x == nullptr || (now == nullptr && same_value(before))) return;
  const bool removed = now == nullptr || *now != before;
  const auto value = removed ? in_output(value_of(before), state) : std::nullopt;
  if (now != nullptr) forget(state, *x);
  if (!removed)
    state.variables.erase(*x);
  else
    state.variables.set(*x, now != nullptr && mentions(value, *x) ? std::nullopt : value);
}

// Records in the edit which variables are optimized out where: in the blocks that are reached, or
// in all others.
void record_optimized_out(const Cfg& cfg, VersionEdit& edit,
                          const std::vector<std::uint8_t>& reached, bool others) {
  OptimizedOutAnalysis analysis(edit, cfg, others ? std::vector<std::uint8_t>() : reached);
  const auto solution = solve(cfg, analysis);
  for (const BlockId b : cfg.reverse_postorder()) {
    if ((reached[b.id] == 0) != others) continue;
    OptimizedOutValues state = *solution[b.id];
    replay(cfg, analysis, b, state, [&](Position at, const OptimizedOutValues& known) {
      for (const auto& entry : known.variables) edit.optimize_out(at, entry.name, entry.fact);
    });
    if (cfg[b].begin == edit.version().body.size()) // the end
      for (const auto& entry : state.variables)
        edit.optimize_out(cfg[b].end, entry.name, entry.fact);
  }
}

void record_optimized_out(VersionAnalyses& facts, VersionEdit& edit) {
  const Cfg& cfg = facts.cfg();
  const auto& constants = facts.constants();
  std::vector<std::uint8_t> reached(cfg.blocks().size());
  bool all = true;
  for (const BlockId b : cfg.reverse_postorder()) {
    reached[b.id] = constants[b.id] ? 1 : 0;
    all &= constants[b.id].has_value();
  }
  record_optimized_out(cfg, edit, reached, false);
  if (!all) record_optimized_out(cfg, edit, reached, true);
}

bool mentions(const Expr& e, const std::unordered_set<Var>& gone) {
  bool found = false;
  for_each_variable(e, [&](Var x) { found |= gone.contains(x); });
  return found;
}

// --- The pass ------------------------------------------------------------------------------------

// Liveness in which a removable definition uses nothing where its value is dead.
struct FaintVariables {
  using State = VarSet;
  static constexpr Direction kDirection = Direction::Backward;

  State boundary(BlockId) const { return {}; }
  void transfer(State& live, Position at) const {
    const Instruction& instr = uses.version().body[at].instr;
    if (!dead(live, at)) LiveVariables::step(live, instr);
  }
  // The instruction only sets a variable whose value is dead.
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
      record_optimized_out(task_.facts, task_.edit);
  }

private:
  // Whether the value is overwritten before it is used, by position.
  std::vector<std::uint8_t> dead_definitions() {
    std::vector<std::uint8_t> dead(task_.version.body.size());
    const Cfg& cfg = task_.facts.cfg();
    FaintVariables analysis{uses_};
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
    for (auto& [at, exit] : variables_.rebuilt) {
      Instruction instr = task_.version.body[at].instr;
      *exit_of(instr) = std::move(exit);
      task_.edit.replace(at, std::move(instr));
    }
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

  // Drops in blocks that end the function, of names that are not declared again there, nor made by
  // an exit: the variables end with all others.
  std::vector<std::uint8_t> last_drops() const {
    const auto& body = task_.version.body;
    std::vector<std::uint8_t> last(body.size());
    for (const Block& block : task_.facts.cfg().blocks()) {
      if (block.begin == block.end) continue;
      const Instruction& way_out = body[block.end - 1].instr;
      if (!std::holds_alternative<Return>(way_out) && !std::holds_alternative<Stop>(way_out))
        continue;
      std::unordered_set<Var> declared; // after the position
      for (Position at = block.end; at-- > block.begin;) {
        const ScopeEffect effect = scope_effect(body[at].instr);
        if (effect.declares != nullptr) declared.insert(*effect.declares);
        if (const Metadata* const exit = exit_of(body[at].instr))
          for_each_name(*exit, [&](NameUse use) {
            if (use.role == NameRole::WithDeclare) declared.insert(Var{use.id});
          });
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
