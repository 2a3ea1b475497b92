#include "sourir/cli/exec_pass.h"

#include "sourir/bisim/structure_check.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sourir {
namespace {

constexpr std::size_t kLargestAnswer = std::size_t{1} << 30;
constexpr const char* kMayServe = "SOURIR_PASS_SERVE"; // sourir_pass.py reads it

// JSON has line breaks only between its parts.
std::string one_line(std::string json) {
  std::ranges::replace(json, '\n', ' ');
  return json;
}

// Lines of a command's standard error, each after a line break.
std::string printed_lines(std::string_view errors) {
  std::string out;
  while (!errors.empty()) {
    const std::size_t end = std::min(errors.find('\n'), errors.size());
    out += "\n  " + printable(errors.substr(0, end));
    errors.remove_prefix(std::min(end + 1, errors.size()));
  }
  return out;
}

} // namespace

// A fork of a campaign starts processes of its own: those of its parent answer to that.
void ExecPasses::forget_those_of_others() {
  if (owner_ == getpid()) return;
  for (auto& [command, process] : serving_) process.forget();
  serving_.clear();
  owner_ = getpid();
}

ProcessResult ExecPasses::answer(const std::string& command, std::string program) {
  forget_those_of_others();
  const ProcessLimits limits{
      .seconds = static_cast<double>(seconds_), .output = kLargestAnswer, .output_must_fit = true};
  if (const auto known = serving_.find(command); known != serving_.end()) {
    ProcessResult done = known->second.request(one_line(program), limits);
    if (known->second.pid() < 0) serving_.erase(known);
    // It ended between two programs, as it may: another one gets this program.
    if (!done.fine()) return done;
  }
  Process process({.words = {"/bin/sh", "-c", command},
                   .input = std::move(program),
                   .own_group = true,
                   .keep_errors = keep_errors_,
                   .serves = kMayServe});
  ProcessResult done = process.run(limits);
  if (process.pid() >= 0) serving_.insert_or_assign(command, std::move(process));
  return done;
}

Result<CommandOutput> ExecPasses::ask(const std::string& command, const Program& program,
                                      Names& names) {
  using enum ProcessResult::Stop;
  const std::string pass = fmt::format("the pass exec:{}", command);
  ProcessResult done = answer(command, to_json(program, {}, names));
  const std::string printed = printed_lines(std::exchange(done.errors, {}));
  if (!done.fine() && done.stop != Answered)
    return failure("{}: it {}{}{}", pass, done.how_it_ended(),
                   done.stop == OutOfTime ? " (--exec-timeout)" : "", printed);
  auto answer = read_pass_answer(done.stop == Answered ? done.answer : done.output, names);
  if (!answer)
    return failure("{}: its answer is not {{\"program\": ..., \"state_map\": ...}}: {}{}", pass,
                   answer.error().message, printed);
  return *std::move(answer);
}

Result<CommandOutput> ExecPasses::run(const std::string& command, const Program& program,
                                      Names& names) {
  const std::string pass = fmt::format("the pass exec:{}", command);
  auto answer = ask(command, program, names);
  if (!answer) return answer;
  auto& output = *answer;
  if (!is_wellformed(output.program, names)) {
    show_not_wellformed(fmt::format("output of exec:{}", command), output.program, names);
    return failure("{}: its output is not well-formed", pass);
  }
  if (!output.map) return answer;
  const auto problems = structural_problems(program, output.program, *output.map, names);
  if (!problems.empty())
    return failure("{}: its state map does not fit: {}", pass, problems.front());
  return answer;
}

} // namespace sourir
