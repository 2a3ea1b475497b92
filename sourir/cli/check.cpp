#include "sourir/cli/check.h"

#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <deque>

namespace sourir {

namespace {

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

} // namespace

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

} // namespace sourir
