#include "sourir/cli/opt.h"

#include "sourir/cli/exit_status.h"
#include "sourir/cli/files.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/output.h"
#include "sourir/cli/terminal.h"
#include "sourir/passes/presets.h"
#include "sourir/passes/registry.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace sourir {

namespace {

int pipeline_error(const std::string& text, const PipelineError& error) {
  say_error("--pass: " + error.message);
  const std::string marks(std::max<std::size_t>(error.length, 1), '^');
  say(fmt::format("  {}\n  {:>{}}\n", printable(text), marks, error.at + marks.size()));
  say("`sourir opt --list-passes` lists all passes\n");
  return exit_status::kUsage;
}

std::string passes_text() {
  std::string out;
  for (const PassRow& row : all_passes()) {
    out += fmt::format("{}\n  {}\n  example: --pass={}\n", row.name, row.summary, row.example);
    for (const OptionRow& option : row.options)
      out += fmt::format("  :{}{}{}  {}\n", option.name, option.value.empty() ? "" : "=",
                         option.value, option.help);
  }
  for (const Preset& preset : all_presets())
    out += fmt::format("{}\n  {}\n  is {}\n", preset.name, preset.summary, preset.pipeline);
  return out;
}

// Empty: well-formed.
std::string not_wellformed(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  for (const Diagnostic& d : problems.sorted())
    if (d.severity == Severity::Error) return d.message;
  return {};
}

} // namespace

int run_opt(const OptOptions& options) {
  if (options.list_passes) {
    standard_output().write(passes_text());
    return exit_status::kFine;
  }
  auto parsed = parse_pipeline(options.pipeline);
  if (const auto* error = std::get_if<PipelineError>(&parsed))
    return pipeline_error(options.pipeline, *error);
  const Pipeline& pipeline = std::get<Pipeline>(parsed);
  Names names;
  std::optional<Loaded> loaded = load_file(options.file, names);
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    return exit_status::kRejected;
  }
  std::string broken;
  PipelineHooks hooks;
  hooks.after_pass = [&](const PassEvent& event) {
    if (!event.report.changed) return Verdict::Continue;
    const std::string problem = not_wellformed(event.after, names);
    if (problem.empty()) return Verdict::Continue;
    broken = fmt::format("the output of {} is not well-formed: {}", event.report.pass, problem);
    say(print(event.after, names));
    return Verdict::Undo;
  };
  const PipelineResult result =
      run_pipeline(pipeline, std::move(loaded->program), names, {}, hooks);
  if (!broken.empty()) {
    say_error(broken);
    return exit_status::kBug;
  }
  if (!result.error.empty()) {
    say_error(result.error);
    return exit_status::kFound;
  }
  standard_output().write(print(result.program, names));
  return exit_status::kFine;
}

} // namespace sourir
