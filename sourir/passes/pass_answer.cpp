#include "sourir/passes/pass_answer.h"

#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/json_reader.h"

namespace sourir {

std::variant<CommandOutput, std::string> read_pass_answer(std::string_view json, Names& names) {
  JsonProblem problem;
  const auto root = read_json(json, problem);
  if (!root) return problem.message;
  std::string problems;
  JsonReader reader(names, [&](Span, const std::string& message) {
    problems += (problems.empty() ? "" : "; ") + message;
  });
  CommandOutput output;
  reader.object(
      *root,
      needs("program",
            [&](const JsonValue& v) { output.program = read_program(v, reader).program; }),
      may_have("state_map", [&](const JsonValue& v) { output.map = read_state_map(v, reader); }));
  if (reader.problems() > 0) return problems;
  return output;
}

} // namespace sourir
