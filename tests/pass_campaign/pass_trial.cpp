#include "tests/pass_campaign/pass_trial.h"

#include "sourir/bisim/structure_check.h"

#include <exception>

namespace sourir::testing {

std::string kind_of(const Trial& trial) {
  std::string kind(1, static_cast<char>('0' + static_cast<int>(trial.problem)));
  return kind + trial.text.substr(0, trial.text.find(' ', 6));
}

Trial try_pass(const PassChoice& pass, const Program& program, const Surroundings& around,
               Names& names) {
  Trial trial;
  const Feedback feedback =
      around.feedback_seed == 0 ? Feedback{} : random_feedback(program, around, names);
  std::optional<PassResult> result;
  try {
    result = pass.row->run({program, names, pass.options, feedback});
  } catch (const std::exception& e) {
    trial.problem = Trial::Problem::Structure;
    trial.text = std::string("throws ") + e.what();
    return trial;
  }
  trial.changed = result.has_value();
  trial.output = result ? std::move(result->program) : program;
  if (!result) return trial;
  trial.rewrites = result->rewrites;
  if (trial.output == program) {
    trial.problem = Trial::Problem::Unchanged;
    trial.text = "says that it has changed something, but has not";
    return trial;
  }
  const StateMap map = state_map(result->origins, program, trial.output);
  for (const std::string& problem : structural_problems(program, trial.output, map, names)) {
    trial.problem = Trial::Problem::Structure;
    trial.text += problem + "\n";
  }
  if (trial.problem != Trial::Problem::None) return trial;
  const Coverage covered = coverage(map, program, trial.output);
  trial.mapped = covered.mapped;
  trial.mandatory = covered.mandatory;
  trial.verdict = check_lockstep(program, trial.output, map, around.reads, {}, names);
  if (trial.verdict.agreement == Agreement::Different) {
    trial.problem = Trial::Problem::Behavior;
    trial.text = trial.verdict.report;
  } else if (trial.verdict.agreement == Agreement::Inconclusive &&
             trial.verdict.report.starts_with("the output")) {
    trial.problem = Trial::Problem::Limit;
    trial.text = trial.verdict.report;
  }
  return trial;
}

} // namespace sourir::testing
