#include "sourir/passes/loads.h"

#include "sourir/analysis/elements.h"
#include "sourir/passes/map_expressions.h"
#include "sourir/passes/rewrite.h"

namespace sourir {
namespace {

class Forwarding {
public:
  Forwarding(VersionTask& task, const ProgramEffects& effects)
      : task_(task), version_(task.version), cfg_(task.facts.cfg()),
        elements_(version_, cfg_, task.facts.scopes(), effects), solution_(solve(cfg_, elements_)) {
  }

  void forward() {
    for (const BlockId b : cfg_.reverse_postorder()) {
      const auto& known = task_.facts.constants()[b.id];
      if (!known) continue; // control does not come there
      Facts facts = *known;
      ElementState state = *solution_[b.id];
      Constants& constants = task_.facts.constants_problem();
      for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
        visit(b, at, state, facts);
        elements_.transfer(state, at);
        constants.transfer(facts, at);
      }
    }
  }

private:
  void visit(BlockId b, Position at, const ElementState& state, const Facts& facts) {
    const Instruction& instr = version_.body[at].instr;
    if (std::holds_alternative<GuardHint>(instr) || task_.edit.current(at) == nullptr) return;
    if (std::holds_alternative<ArrayUpdate>(instr) && visit_store(b, at, state, facts)) return;
    Instruction now = instr;
    map_expressions(now, [&](Expr& e) {
      if (const auto* const load = std::get_if<Index>(&e))
        if (const SimpleExpr* const value = state.find(load->array, load->index)) e = *value;
    });
    if (auto* const call = std::get_if<Call>(&now); call != nullptr && !callable(*call))
      call->callee = std::get<Call>(instr).callee;
    if (now != instr) task_.edit.replace(at, std::move(now));
  }

  // A mistake that happens at run time only must not become one that rejects the program.
  bool callable(const Call& call) const {
    const auto* const simple = std::get_if<SimpleExpr>(&call.callee);
    if (simple == nullptr || std::holds_alternative<Var>(*simple)) return true;
    const auto* const name = std::get_if<FunName>(simple);
    const Function* const f = name != nullptr ? find_function(task_.input.program, *name) : nullptr;
    return f != nullptr && f->params.size() == call.arguments.size();
  }

  // A row of stores to one place becomes the last of them, which then stands where the first stood:
  // nothing has happened in between.
  bool visit_store(BlockId b, Position at, const ElementState& state, const Facts& facts) {
    Position last = at;
    ArrayUpdate kept = std::get<ArrayUpdate>(version_.body[at].instr);
    for (ElementState there = state; last + 1 < cfg_[b].end; ++last) {
      if (!overwritten(last, there, facts)) break;
      elements_.transfer(there, last);
      kept = std::get<ArrayUpdate>(version_.body[last + 1].instr);
      const auto value = there.value(kept.value);
      if (!value && std::holds_alternative<Index>(kept.value)) return false;
      if (value) kept.value = *value; // an element may be changed by the stores that go
    }
    const bool needless = redundant(kept, state);
    if (last == at && !needless) return false;
    if (needless)
      task_.edit.remove(at);
    else
      task_.edit.replace(at, kept);
    for (Position p = at + 1; p <= last; ++p) task_.edit.remove(p);
    return true;
  }

  static bool redundant(const ArrayUpdate& store, const ElementState& state) {
    const auto* const index = std::get_if<SimpleExpr>(&store.index);
    const auto value = state.value(store.value);
    if (index == nullptr || !value) return false;
    const SimpleExpr* const there = state.find(store.array, *index);
    return there != nullptr && *there == *value;
  }

  // By the next store, and neither of them can fail.
  bool overwritten(Position at, const ElementState& state, const Facts& facts) const {
    const auto& store = std::get<ArrayUpdate>(version_.body[at].instr);
    const auto* const over = std::get_if<ArrayUpdate>(&version_.body[at + 1].instr);
    const auto* const index = std::get_if<SimpleExpr>(&store.index);
    if (over == nullptr || index == nullptr || over->array != store.array ||
        over->index != store.index)
      return false;
    const bool there =
        state.find(store.array, *index) != nullptr || is_total(Index{store.array, *index}, facts);
    const auto total = [&](const Expr& e) { return state.value(e) || is_total(e, facts); };
    return there && total(store.value) &&
           (total(over->value) || std::holds_alternative<Index>(over->value)); // see visit_store
  }

  VersionTask& task_;
  const Version& version_;
  const Cfg& cfg_;
  Elements elements_;
  Solution<Elements> solution_;
};

} // namespace

std::optional<PassResult> loads(const PassInput& input) {
  const ProgramEffects effects(input.program);
  return rewrite_versions(input, [&](VersionTask& task) { Forwarding(task, effects).forward(); });
}

} // namespace sourir
