#include "tests/pass_campaign/pass_trial.h"

#include "sourir/bisim/structure_check.h"
#include "sourir/bisim/tape.h"
#include "sourir/syntax/scopes.h"

#include <exception>

namespace sourir::testing {

namespace {

std::vector<Expr> predicates_over(Var x) {
  return {Binary{BinaryOp::Eq, x, std::int64_t{1}},
          KindTest{x, Kind::Int},
          Binary{BinaryOp::Ne, x, Nil{}},
          Binary{BinaryOp::Lt, x, std::int64_t{5}},
          KindTest{x, Kind::Array},
          Index{x, std::int64_t{0}}};
}

} // namespace

Feedback random_feedback(const Program& program, std::uint64_t seed) {
  Feedback feedback;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      const Scopes scopes = scopes_of(program, f, v);
      for (Position at = 0; at < v.body.size(); ++at) {
        std::uint64_t state = seed ^ (std::uint64_t{f.name.id} << 40) ^ at;
        const Place place{f.name, v.name, {}, at};
        const std::uint64_t draw = next_random(state) % 16;
        if (std::holds_alternative<Branch>(v.body[at].instr) && draw < 12)
          feedback.branches.push_back({place, draw < 6 ? 100U : 0U, draw < 6 ? 0U : 100U});
        if (!scopes[at] || scopes[at]->empty() || draw > 3) continue;
        const auto predicates =
            predicates_over((*scopes[at])[next_random(state) % scopes[at]->size()]);
        feedback.seen.push_back({place, predicates[next_random(state) % predicates.size()]});
      }
    }
  return feedback;
}

std::string kind_of(const Trial& trial) {
  std::string kind(1, static_cast<char>('0' + static_cast<int>(trial.problem)));
  return kind + trial.text.substr(0, trial.text.find(' ', 6));
}

Trial try_pass(const PassChoice& pass, const Program& program, const Surroundings& around,
               Names& names) {
  Trial trial;
  const Feedback feedback =
      around.feedback_seed == 0 ? Feedback{} : random_feedback(program, around.feedback_seed);
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
