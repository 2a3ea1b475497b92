#include "sourir/passes/scalar/dead_variables.h"

#include "sourir/analysis/constants.h"
#include "sourir/analysis/mutant.h"
#include "sourir/analysis/values.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/map_expressions.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

// The longest array whose allocation is taken back silently; a longer one may reach a limit.
constexpr std::int64_t kLongest = 1 << 16;

bool in_range(const Expr& length, const Facts& facts) {
  const Fact fact = evaluate(length, facts);
  const auto* const n = fact.equals ? std::get_if<std::int64_t>(&*fact.equals) : nullptr;
  return n != nullptr && is_total(length, facts) && *n >= 0 && *n <= kLongest;
}

bool all_total(const std::vector<Expr>& list, const Facts& facts) {
  return std::all_of(list.begin(), list.end(), [&](const Expr& e) { return is_total(e, facts); });
}

// What the instruction does besides giving a value to its variable cannot be seen.
bool is_total(const Instruction& instr, const Facts& facts) {
  if (std::holds_alternative<Call>(instr)) return mutant(13);
  if (const auto* const i = std::get_if<Decl>(&instr))
    return !i->value || mutant(14) || is_total(*i->value, facts);
  if (const auto* const i = std::get_if<Assign>(&instr))
    return mutant(14) || is_total(i->value, facts);
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

} // namespace

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
  if (const auto* const i = std::get_if<Call>(&instr); i != nullptr && mutant(13))
    return &i->result;
  return nullptr;
}

namespace {

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

  // Variables that only varmaps use and whose value is known at each of them.
  void rebuild() {
    find_candidates();
    if (candidates_.empty()) return;
    const Cfg& cfg = facts_.cfg();
    ValuesAnalysis values(version_);
    const auto solution = solve(cfg, values);
    for (int round = 0; round < 2 && !candidates_.empty(); ++round) {
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

  // The first round drops the candidates that some exit cannot do without; in the second all fit.
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

  // Goes only with everything that is about its variable.
  bool makes_array(Position at) const {
    const Instruction& instr = version_.body[at].instr;
    return !std::holds_alternative<Assign>(instr) && !std::holds_alternative<Decl>(instr);
  }

  // Variables of which something stays, whoever needs them.
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

} // namespace

DeadVariables dead_variables(VersionAnalyses& facts, const VariableUses& uses,
                             const std::vector<std::uint8_t>& dead) {
  return Marking(facts, uses, dead).mark();
}

} // namespace sourir
