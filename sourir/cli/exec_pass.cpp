#include "sourir/cli/exec_pass.h"

#include "sourir/bisim/structure_check.h"
#include "sourir/cli/wellformed_output.h"
#include "sourir/os/child_process.h"
#include "sourir/passes/pass_answer.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

namespace sourir {

namespace {

constexpr std::size_t kLargestAnswer = std::size_t{1} << 30;

} // namespace

std::variant<CommandOutput, std::string> ask_exec_pass(const std::string& command,
                                                       const Program& program, Names& names,
                                                       std::uint64_t seconds) {
  const std::string pass = fmt::format("the pass exec:{}", command);
  const ChildResult child =
      run_child(command, to_json(program, {}, names), seconds, kLargestAnswer);
  if (!child.problem.empty())
    return fmt::format("{}: {}{}", pass, child.problem,
                       child.out_of_time ? " (--exec-timeout)" : "");
  auto answer = read_pass_answer(child.output, names);
  if (const auto* problem = std::get_if<std::string>(&answer))
    return fmt::format("{}: its answer is not {{\"program\": ..., \"state_map\": ...}}: {}", pass,
                       *problem);
  return std::get<CommandOutput>(std::move(answer));
}

std::variant<CommandOutput, std::string> run_exec_pass(const std::string& command,
                                                       const Program& program, Names& names,
                                                       std::uint64_t seconds) {
  const std::string pass = fmt::format("the pass exec:{}", command);
  auto answer = ask_exec_pass(command, program, names, seconds);
  if (std::holds_alternative<std::string>(answer)) return answer;
  auto& output = std::get<CommandOutput>(answer);
  if (!is_wellformed(output.program, names)) {
    show_not_wellformed(fmt::format("output of exec:{}", command), output.program, names);
    return fmt::format("{}: its output is not well-formed", pass);
  }
  if (!output.map) return answer;
  const auto problems = structural_problems(program, output.program, *output.map, names);
  if (!problems.empty())
    return fmt::format("{}: its state map does not fit: {}", pass, problems.front());
  return answer;
}

} // namespace sourir
