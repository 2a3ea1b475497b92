#include "sourir/cli/load_file.h"

#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>
#include <unistd.h>

namespace sourir {

void show_not_wellformed(const std::string& name, const Program& program, Names& names) {
  show_problems(load(name, print(program, names), names));
}

int usage_error(const std::string& command, const std::string& message) {
  say_error(message);
  say(fmt::format("`sourir {}{}--help` says more\n", command, command.empty() ? "" : " "));
  return exit_status::kUsage;
}

std::optional<Loaded> load_file(const std::string& path, Names& names, const LoadOptions& options) {
  auto text = read_file(path, options.max_bytes);
  if (const auto* problem = std::get_if<FileProblem>(&text)) {
    say_error(problem->message);
    return {};
  }
  return load(display_name(path), std::move(std::get<std::string>(text)), names, options);
}

void show_problems(const Loaded& loaded, std::size_t most) {
  const std::vector<Diagnostic> all = loaded.problems.sorted();
  std::size_t left[] = {most, 0}; // errors, warnings
  std::size_t hidden[] = {0, 0};
  std::size_t errors = 0;
  for (const Diagnostic& d : all) errors += d.severity == Severity::Error;
  left[1] = most - std::min(most, errors);
  const bool colour = colour_on(STDERR_FILENO);
  for (const Diagnostic& d : all) {
    const std::size_t kind = d.severity == Severity::Error ? 0 : 1;
    if (left[kind] == 0) {
      ++hidden[kind];
      continue;
    }
    --left[kind];
    say(render(d, loaded.source, colour) + "\n");
  }
  if (hidden[0] + hidden[1] == 0) return;
  std::string more;
  if (hidden[0] > 0) more = counted(hidden[0], "error");
  if (hidden[1] > 0) more += (more.empty() ? "" : " and ") + counted(hidden[1], "warning");
  say(fmt::format("{}: {} more; `sourir check --max-errors 0` shows all\n",
                  printable(loaded.source.name()), more));
}

namespace {

constexpr std::size_t kLargestInput = std::size_t{1} << 28;

} // namespace

std::string check_inputs(const std::string& path, const Program& program, std::uint64_t seed,
                         Names& names, std::vector<std::vector<Value>>& inputs) {
  if (path.empty()) {
    inputs = many_inputs(program, seed, names);
    return {};
  }
  auto read = read_file(path, kLargestInput);
  if (const auto* problem = std::get_if<FileProblem>(&read)) return problem->message;
  std::string_view text = std::get<std::string>(read);
  if (text.size() > kLargestInput) return fmt::format("'{}' is too large", path);
  std::vector<Value> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto literal = parse_literal(line, names);
    if (!literal)
      return fmt::format("'{}': line {} is no literal: {}", path, values.size() + 1, line);
    values.push_back(to_value(*literal));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  inputs = {std::move(values)};
  return {};
}

} // namespace sourir
