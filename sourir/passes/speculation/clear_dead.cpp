#include "sourir/passes/speculation/clear_dead.h"

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

  void clear(Metadata& exit) {
    clear(exit.frame.varmap, exit.frame.target);
    for (OuterFrame& outer : exit.outer) clear(outer.varmap, outer.target);
  }

private:
  void clear(std::vector<Binding>& varmap, const Place& target) {
    const auto at = positions_.resolve(target);
    const Version* const version = positions_.version(target.function, target.version);
    if (!at || version == nullptr) return;
    const Function& function = *find_function(analyses_.program(), target.function);
    VersionAnalyses& facts = analyses_.of(function, *version);
    if (*at < version->body.size() && !facts.scopes()[*at]) return;
    const VarSet live =
        *at < version->body.size() ? facts.liveness().before(*at) : VarSet(); // the end: none
    for (Binding& b : varmap) {
      const auto* const simple = std::get_if<SimpleExpr>(&b.value);
      const bool literal = simple != nullptr && !std::holds_alternative<Var>(*simple);
      if (!literal && !live.contains(b.name)) b.value = SimpleExpr(Nil());
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
    for (Position at = 0; at < task.version.body.size(); ++at) {
      if (exit_of(task.version.body[at].instr) == nullptr || !task.facts.scopes()[at]) continue;
      Instruction instr = task.version.body[at].instr;
      dead.clear(*exit_of(instr));
      if (!(instr == task.version.body[at].instr)) task.edit.replace(at, std::move(instr));
    }
  });
}

} // namespace sourir
