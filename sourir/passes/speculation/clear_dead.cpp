#include "sourir/passes/speculation/clear_dead.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"

namespace sourir {
namespace {

class DeadBindings {
public:
  DeadBindings(ProgramAnalyses& analyses, ProgramPositions& positions)
      : analyses_(analyses), positions_(positions) {}

  // facts: where the exit is.
  void clear(Metadata& exit, const Facts& facts) {
    clear(exit.frame.varmap, exit.frame.target, facts);
    for (OuterFrame& outer : exit.outer) clear(outer.varmap, outer.target, facts);
  }

private:
  void clear(std::vector<Binding>& varmap, const Place& target, const Facts& facts) {
    const auto at = positions_.resolve(target);
    const Version* const version = positions_.version(target.function, target.version);
    if (!at || version == nullptr) return;
    const Function& function = *find_function(analyses_.program(), target.function);
    VersionAnalyses& there = analyses_.of(function, *version);
    if (*at < version->body.size() && !there.scopes()[*at]) return;
    const VarSet live =
        *at < version->body.size() ? there.liveness().before(*at) : VarSet(); // the end: none
    for (Binding& b : varmap) {
      const auto* const simple = std::get_if<SimpleExpr>(&b.value);
      const bool literal = simple != nullptr && !std::holds_alternative<Var>(*simple);
      if (literal || live.contains(b.name)) continue;
      // Where the value cannot be computed, the program ends with an error, and stays so.
      if (is_total(b.value, facts)) b.value = SimpleExpr(Nil());
    }
  }

  ProgramAnalyses& analyses_;
  ProgramPositions& positions_;
};

} // namespace

std::optional<PassResult> clear_dead(const PassInput& input) {
  ProgramAnalyses analyses(input.program);
  ProgramPositions positions(input.program);
  DeadBindings dead(analyses, positions);
  return rewrite_versions(input, [&](VersionTask& task) {
    FactsAt facts(task.facts);
    for (Position at = 0; at < task.version.body.size(); ++at) {
      if (exit_of(task.version.body[at].instr) == nullptr || !task.facts.scopes()[at]) continue;
      const Facts* const here = facts.before(at);
      if (here == nullptr) continue; // not reached
      Instruction instr = task.version.body[at].instr;
      dead.clear(*exit_of(instr), *here);
      if (!(instr == task.version.body[at].instr)) task.edit.replace(at, std::move(instr));
    }
  });
}

} // namespace sourir
