#include "sourir/passes/scalar/load_elimination.h"

#include "sourir/analysis/elements.h"
#include "sourir/passes/core/arities.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

class Forwarding {
public:
  Forwarding(VersionTask& task, const ProgramEffects& effects, Arities& arities)
      : task_(task), arities_(arities), version_(task.version), cfg_(task.facts.cfg()),
        elements_(version_, cfg_, task.facts.scopes(), effects), solution_(solve(cfg_, elements_)) {
  }

  void forward() {
    for (const BlockId b : cfg_.reverse_postorder()) {
      const auto& known = task_.facts.constants()[b.id];
      if (!known) continue; // not reached
      Facts facts = *known;
      ElementState state = *solution_[b.id];
      Constants& constants = task_.facts.constants_problem();
      Position row_end = 0;
      for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
        if (at >= row_end && is_store(at))
          row_end = visit_row(b, at, state, facts);
        else if (at >= row_end)
          visit(at, state);
        elements_.transfer(state, at);
        constants.transfer(facts, at);
      }
    }
  }

private:
  struct Placed {
    Position at;
    ArrayUpdate store;
  };
  using Row = std::vector<Placed>;

  bool is_store(Position at) const {
    return std::holds_alternative<ArrayUpdate>(version_.body[at].instr);
  }

  static void forward_load(Expr& e, const ElementState& state) {
    if (std::holds_alternative<Index>(e))
      if (const auto value = state.value(e)) e = *value;
  }

  void visit(Position at, const ElementState& state) {
    const Instruction& instr = version_.body[at].instr;
    if (std::holds_alternative<GuardHint>(instr)) return;
    Instruction now = instr;
    map_expressions(now, [&](Expr& e) { forward_load(e, state); });
    if (auto* const call = std::get_if<Call>(&now); call != nullptr && !callable(*call))
      call->callee = std::get<Call>(instr).callee;
    if (now != instr) task_.edit.replace(at, std::move(now));
  }

  // Rewrites the row of stores from `at` on; the position after it.
  Position visit_row(BlockId b, Position at, const ElementState& state, const Facts& facts) {
    Row row;
    Position end = at;
    for (; end < cfg_[b].end && is_store(end); ++end)
      row.push_back({end, std::get<ArrayUpdate>(version_.body[end].instr)});
    // Removed stores bring others together.
    for (std::size_t before = row.size() + 1; row.size() < before;) {
      before = row.size();
      row = shortened(row, state, facts);
    }
    auto kept = row.begin();
    for (Position p = at; p < end; ++p) {
      if (kept == row.end() || kept->at != p) {
        task_.edit.remove(p);
      } else {
        if (Instruction(kept->store) != version_.body[p].instr) task_.edit.replace(p, kept->store);
        ++kept;
      }
    }
    return end;
  }

  // The row without stores of values that are there already; of stores to one element that follow
  // one another only the last remains, at the position of the first.
  Row shortened(const Row& row, ElementState state, const Facts& facts) const {
    Row kept;
    ElementState before = state; // the last one kept
    for (const Placed& placed : row) {
      ArrayUpdate store = placed.store;
      forward_load(store.index, state), forward_load(store.value, state);
      if (redundant(store, state)) continue;
      if (!kept.empty() && overwrites(store, kept.back().store, before, facts)) {
        state = before;
        kept.back().store = store;
      } else {
        before = state;
        kept.push_back({placed.at, store});
      }
      elements_.store(state, kept.back().at, store);
    }
    return kept;
  }

  static bool redundant(const ArrayUpdate& store, const ElementState& state) {
    const auto* const index = std::get_if<SimpleExpr>(&store.index);
    const auto value = state.value(store.value);
    if (index == nullptr || !value) return false;
    const SimpleExpr* const there = state.find(store.array, *index);
    return there != nullptr && *there == *value;
  }

  // Whether `store` overwrites `first`, the store before it, and neither of them can fail.
  static bool overwrites(const ArrayUpdate& store, const ArrayUpdate& first,
                         const ElementState& before, const Facts& facts) {
    const auto* const index = std::get_if<SimpleExpr>(&first.index);
    if (index == nullptr || store.array != first.array || store.index != first.index) return false;
    const bool there =
        before.find(first.array, *index) != nullptr || is_total(Index{first.array, *index}, facts);
    // A loaded element may be the one that `first` stores.
    return there && is_total(first.value, facts) && is_total(store.value, facts) &&
           !std::holds_alternative<Index>(store.value);
  }

  bool callable(const Call& call) const {
    const auto* const simple = std::get_if<SimpleExpr>(&call.callee);
    if (simple == nullptr || std::holds_alternative<Var>(*simple)) return true;
    const auto* const name = std::get_if<FunName>(simple);
    return name != nullptr && arities_.fit(*name, call.arguments.size());
  }

  VersionTask& task_;
  Arities& arities_;
  const Version& version_;
  const Cfg& cfg_;
  Elements elements_;
  Solution<Elements> solution_;
};

bool touches_elements(const Version& version) {
  bool found = false;
  const auto look = [&](const Expr& e) { found |= std::holds_alternative<Index>(e); };
  for (const Stmt& stmt : version.body) {
    found |= std::holds_alternative<ArrayUpdate>(stmt.instr);
    for_each_expression(stmt.instr, look);
    if (found) break;
  }
  return found;
}

} // namespace

std::optional<PassResult> load_elimination(const PassInput& input) {
  std::optional<ProgramAnalyses> own;
  Arities arities(input.program);
  return rewrite_versions(input, [&](VersionTask& task) {
    if (!touches_elements(task.version)) return;
    if (input.analyses == nullptr && !own) own.emplace(input.program);
    Forwarding(task, (own ? *own : *input.analyses).effects(), arities).forward();
  });
}

} // namespace sourir
