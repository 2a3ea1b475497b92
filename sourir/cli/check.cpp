// `sourir check`: the errors and warnings of programs.
#include "sourir/cli/commands.h"

#include "sourir/analysis/warnings.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <deque>
#include <memory>

namespace sourir {

namespace {

struct CheckOptions {
  std::vector<std::string> files; // text or JSON; "-": standard input
  bool json = false;              // docs/schemas/diagnostics.schema.json on standard output
  bool normal_form = false;       // also where a program is not in normal form
  bool strict = false;            // varmap expressions that can fail are errors
  std::string deny;               // "warnings": they count as errors
  std::uint64_t max_errors = ~std::uint64_t{0}; // shown of a file; 0: all; this: 20, in JSON all
};

constexpr std::uint64_t kUnset = ~std::uint64_t{0};

std::size_t shown(const CheckOptions& options) {
  if (options.max_errors == kUnset && !options.json) return kShownProblems;
  return options.max_errors == 0 ? kUnset : options.max_errors;
}

std::string summary(std::size_t files, std::size_t unreadable, std::size_t errors,
                    std::size_t warnings) {
  std::string problems = errors > 0 ? counted(errors, "error") : "";
  if (warnings > 0) problems += (errors > 0 ? ", " : "") + counted(warnings, "warning");
  return fmt::format("checked {}: {}{}\n", counted(files, "file"),
                     problems.empty() ? "no problems" : problems,
                     unreadable > 0 ? fmt::format("; {} cannot be read", unreadable) : "");
}

std::string as_json(const std::deque<Loaded>& all, std::size_t most) {
  std::vector<FileDiagnostics> files;
  for (const Loaded& loaded : all) {
    files.push_back({&loaded.source, loaded.problems.sorted()});
    auto& diagnostics = files.back().diagnostics;
    if (diagnostics.size() > most)
      diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(most), diagnostics.end());
  }
  return diagnostics_json(files);
}

// The exit status: 0; 1 if a file has errors; 66 if one cannot be read.
int run_check(const CheckOptions& options) {
  std::deque<Loaded> all;
  std::size_t errors = 0, warnings = 0;
  int status = exit_status::kFine;
  for (const std::string& file : options.files) {
    Names names;
    std::optional<Loaded> loaded = load_file(file, names, {.strict = options.strict});
    if (!loaded) {
      status = exit_status::kUnreadable;
      continue;
    }
    if (options.normal_form && !loaded->problems.has_errors())
      check_normal_form(loaded->program, loaded->spans, names, loaded->problems);
    if (!loaded->problems.has_errors())
      add_warnings(loaded->program, loaded->spans, names, loaded->problems);
    if (!options.deny.empty()) loaded->problems.promote_warnings();
    for (const Diagnostic& d : loaded->problems.sorted())
      ++(d.severity == Severity::Error ? errors : warnings);
    if (!options.json) show_problems(*loaded, shown(options));
    all.push_back({std::move(loaded->source), {}, {}, std::move(loaded->problems)});
  }
  if (options.json)
    standard_output().write(as_json(all, shown(options)));
  else if (!all.empty())
    say(summary(all.size(), options.files.size() - all.size(), errors, warnings));
  return status == exit_status::kFine && errors > 0 ? exit_status::kFound : status;
}

} // namespace

Command check_command() {
  const auto o = std::make_shared<CheckOptions>();
  Command c{.name = "check",
            .summary = "Say everything that is wrong with programs.",
            .details =
                "Problems and the last line, which counts them, go to standard error; with --json\n"
                "all goes to standard output.\n"
                "Exit status: 0 no errors, 1 errors, 66 a file cannot be read.\n\n"
                "Examples:\n"
                "  sourir check program.sou other.sou\n"
                "  sourir check --deny=warnings program.sou   in a script\n"
                "  sourir check --normal-form program.sou     is it ready for passes?\n"
                "  sourir check --json program.sou            for editors and scripts\n"};
  c.operands.most = kAnyNumber;
  c.flags = {
      switch_flag("--normal-form", o->normal_form, "also say where a program is not normal"),
      switch_flag("--strict", o->strict, "an exit that computes what could fail is an error"),
      choice_flag("--deny", Flag::Takes::Value, {"warnings"}, o->deny, "warnings count as errors"),
      number_flag("--max-errors", o->max_errors,
                  "problems to show of a file; 0 for all (default 20)"),
      switch_flag("--json", o->json, "all problems as JSON on standard output"),
  };
  c.run = [o](const std::vector<std::string>& files) { return o->files = files, run_check(*o); };
  return c;
}

} // namespace sourir
