#include "sourir/cli/pass_setup.h"

#include "sourir/cli/exec_pass.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/plugin_passes.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/passes/core/feedback_form.h"
#include "sourir/passes/registry.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>

namespace sourir {

namespace {

constexpr std::size_t kLargestFeedback = std::size_t{1} << 28;

void say_pipeline_error(const std::string& text, const PipelineError& error) {
  say_error("--pass: " + error.message);
  const std::string marks(std::max<std::size_t>(error.length, 1), '^');
  say(fmt::format("  {}\n  {:>{}}\n", printable(text), marks, error.at + marks.size()));
  say("`sourir opt --list-passes` lists all passes\n");
}

} // namespace

Flag with_pass_names(Flag flag) {
  for (const Preset& preset : all_presets()) flag.some_values.emplace_back(preset.name);
  for (const PassRow& pass : all_passes()) flag.some_values.emplace_back(pass.name);
  flag.some_values.insert(flag.some_values.end(), {"exec:", "plugin:"});
  return flag;
}

void add_pass_flags(std::vector<Flag>& flags, PassSetup& setup) {
  add_group(flags, "Passes",
            {with_pass_names(
                 list_flag("--pass", "PIPELINE", setup.passes,
                           "passes in a row: a,b:option=value,fix(c,d),O1; yours as exec:CMD or "
                           "plugin:FILE; several --pass are one after the other")),
             list_flag("--assume", "FACT", setup.assumptions,
                       "'F.V.L: x != nil': speculate that it holds there; F.V.L is a place of the "
                       "program as it "
                       "was given, also where passes in front change it; several times"),
             text_flag("--feedback", "FILE", setup.feedback,
                       "type feedback and branch counts (docs/schemas/feedback)"),
             number_flag("--exec-timeout", setup.exec_seconds,
                         "seconds that each exec:CMD may take (default 60)", 1)});
}

bool PreparedPasses::read_pipeline(const std::vector<std::string>& passes) {
  const std::string text = fmt::format("{}", fmt::join(passes, ","));
  auto parsed = parse_pipeline(text, load_plugin);
  if (const auto* error = std::get_if<PipelineError>(&parsed)) {
    say_pipeline_error(text, *error);
    status_ = exit_status::kUsage;
    return false;
  }
  pipeline_ = std::get<Pipeline>(std::move(parsed));
  return true;
}

bool PreparedPasses::read_feedback_file(const std::string& path, Names& names) {
  auto text = read_file(path, kLargestFeedback);
  if (const auto* problem = std::get_if<FileProblem>(&text)) {
    say_error(problem->message);
    status_ = exit_status::kUnreadable;
    return false;
  }
  const std::string problem = read_feedback(std::get<std::string>(text), names, feedback_);
  if (problem.empty()) return true;
  say_error(fmt::format("--feedback: '{}': {}", path, problem));
  status_ = exit_status::kRejected;
  return false;
}

bool PreparedPasses::prepare(const std::string& command, const PassSetup& setup, Names& names) {
  exec_seconds_ = setup.exec_seconds;
  if (!read_pipeline(setup.passes)) return false;
  if (!setup.function.empty()) function_ = names.intern<FunName>(setup.function);
  if (!setup.feedback.empty() && !read_feedback_file(setup.feedback, names)) return false;
  Feedback assumed;
  for (const std::string& text : setup.assumptions)
    if (const std::string problem = read_assumption(text, names, assumed); !problem.empty()) {
      status_ = usage_error(command, "--assume: " + problem);
      return false;
    }
  const auto add = [&](Feedback& to) {
    to.predicates.insert(to.predicates.begin(), assumed.predicates.begin(),
                         assumed.predicates.end());
  };
  add(feedback_.feedback);
  for (FeedbackFile::OfFunction& one : feedback_.functions) add(one.feedback);
  return true;
}

bool PreparedPasses::fits(const std::string& command, const Program& program, const Names& names) {
  for (const std::string& name : unknown_functions(pipeline_, program, names)) {
    status_ = usage_error(command, fmt::format("--pass: there is no function '{}'", name));
    return false;
  }
  if (function_ && find_function(program, *function_) == nullptr) {
    status_ =
        usage_error(command, fmt::format("--function: there is no '{}'", names.text(*function_)));
    return false;
  }
  for (const std::string& problem : feedback_problems(feedback_, program, names)) {
    status_ = usage_error(command, "--assume or --feedback: " + problem);
    return false;
  }
  return true;
}

PipelineHooks PreparedPasses::hooks(Names& names) const {
  PipelineHooks hooks;
  hooks.command = [passes = std::make_shared<ExecPasses>(exec_seconds_),
                   &names](const std::string& command, const PassInput& input) {
    return passes->run(command, input.program, names);
  };
  hooks.plugin = run_plugin_pass;
  return hooks;
}

PipelineResult PreparedPasses::run(Program program, Names& names,
                                   const PipelineHooks& hooks) const {
  if (function_) return run_for(*function_, std::move(program), names, hooks);
  return run_pipeline(pipeline_, std::move(program), names, feedback_.feedback, hooks);
}

namespace {

bool is_target(const Program& program, FunName function, VerName version) {
  const auto targets = [&](const Metadata& exit) {
    const auto is = [&](const auto& frame) {
      return frame.target.function == function && frame.target.version == version;
    };
    return is(exit.frame) || std::ranges::any_of(exit.outer, is);
  };
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body)
        if (const Metadata* const exit = exit_of(stmt.instr); exit != nullptr && targets(*exit))
          return true;
  return false;
}

// Only `function` gets new versions: those of others, which were made for inlining, are removed.
void keep_others(FunName function, const Program& before, PipelineResult& result) {
  for (Function& f : result.program.functions) {
    const Function* const old = find_function(before, f.name);
    if (f.name == function || old == nullptr) continue;
    const auto is_new = [&](const Version& v) { return find_version(*old, v.name) == nullptr; };
    std::ranges::stable_partition(f.versions, std::not_fn(is_new));
    while (is_new(f.versions.back()) &&
           !is_target(result.program, f.name, f.versions.back().name)) {
      const VerName gone = f.versions.back().name;
      f.versions.pop_back();
      if (result.map)
        std::erase_if(result.map->versions, [&](const VersionMap& v) {
          return v.function == f.name && v.version == gone;
        });
    }
  }
}

} // namespace

PipelineResult PreparedPasses::run_for(FunName function, Program program, Names& names,
                                       PipelineHooks hooks) const {
  const FeedbackFile::OfFunction* const own = feedback_.of(function);
  const Feedback& feedback = own != nullptr ? own->feedback : feedback_.feedback;
  const std::span<const Expr> when = own != nullptr ? own->when : std::span<const Expr>();
  hooks.part = true; // labels and versions stay, as in the tiers
  const Program before = program;
  PipelineResult result = run_pipeline(for_function(pipeline_, function, feedback, names, when),
                                       std::move(program), names, feedback, hooks);
  keep_others(function, before, result);
  return result;
}

void say_pass_error(const PipelineResult& result, Names& names) {
  if (result.rejected) show_not_wellformed("output of the pass", *result.rejected, names);
  say_error(result.error);
}

int optimize(const std::string& command, const PassSetup& setup, Loaded& loaded, Names& names) {
  PreparedPasses passes;
  if (!passes.prepare(command, setup, names) || !passes.fits(command, loaded.program, names))
    return passes.status();
  const PipelineResult result = passes.run(std::move(loaded.program), names, passes.hooks(names));
  if (!result.error.empty()) {
    say_pass_error(result, names);
    return exit_status::kRejected;
  }
  loaded = load(loaded.source.name() + " (optimized)", print(result.program, names), names);
  if (!loaded.problems.has_errors()) return exit_status::kFine;
  show_problems(loaded);
  say_error("the output of the passes is not well-formed: this is a bug of sourir; "
            "`sourir opt --check-each` says of which pass");
  return exit_status::kBug;
}

} // namespace sourir
