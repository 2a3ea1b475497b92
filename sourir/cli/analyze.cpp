// `sourir analyze`: the results of analyses as tables, JSON or graphs.
#include "sourir/cli/commands.h"

#include "sourir/analysis/program_drawings.h"
#include "sourir/analysis/report.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/syntax/json/json_writer.h"
#include "sourir/syntax/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sourir {
namespace {

struct AnalyzeOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string show = "cfg"; // names, separated by commas
  std::string function;     // only this one; empty: all
  bool json = false;
  bool dot = false; // cfg, dom, postdom
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    if (to > from) parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::string all_names() {
  std::string text;
  const auto add = [&](std::string_view name) {
    text.append(text.empty() ? "" : ", ").append(name);
  };
  for (const Reporter& r : all_reporters()) add(r.name);
  for (const ProgramReporter& r : all_program_reporters()) add(r.name);
  return text;
}

std::string unknown_analysis(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Reporter& r : all_reporters()) known.push_back(r.name);
  for (const ProgramReporter& r : all_program_reporters()) known.push_back(r.name);
  const auto meant = name == "kinds" ? "types" : closest(name, known); // its former name
  return meant ? fmt::format("there is no analysis '{}'; did you mean {}?", name, *meant)
               : fmt::format("there is no analysis '{}'; there are {}", name, all_names());
}

std::string check_options(const AnalyzeOptions& o, const std::vector<std::string>& shown) {
  if (shown.empty()) return "show what? " + all_names();
  for (const std::string& name : shown)
    if (find_reporter(name) == nullptr && find_program_reporter(name) == nullptr)
      return unknown_analysis(name);
  if (!o.dot) return {};
  if (o.json) return "--dot and --json are two forms";
  if (!o.function.empty()) return "--dot draws all functions; --function does not go with it";
  const bool graph = shown[0] == "cfg" || shown[0] == "dom" || shown[0] == "postdom";
  return shown.size() == 1 && graph ? "" : "--dot draws one of cfg, dom, postdom";
}

// A section of the report: its subject and its rows.
struct Section {
  std::string analysis, function, version;
  ReportRows rows;
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : ", ").append(part);
  return text;
}

std::string as_text(const Section& section) {
  std::string out = section.function.empty() ? section.analysis + "\n"
                                             : fmt::format("{}.{} {}\n", section.function,
                                                           section.version, section.analysis);
  std::size_t width = 3;
  for (const ReportRow& row : section.rows) width = std::max(width, row.key.size());
  for (const ReportRow& row : section.rows) {
    std::string line =
        fmt::format("  {:>{}}  {:<34}  {}", row.key, width, row.subject, joined(row.facts));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void write_json(JsonText& out, const Section& section) {
  out.open('{');
  out.key("analysis").text(section.analysis);
  if (!section.function.empty()) {
    out.key("function").text(section.function);
    out.key("version").text(section.version);
  }
  out.key("rows").open('[');
  for (const ReportRow& row : section.rows) {
    out.open('{');
    out.key("key").text(row.key);
    out.key("subject").text(row.subject);
    out.key("facts").open('[');
    for (const std::string& fact : row.facts) out.text(fact);
    out.close(']');
    out.close('}');
  }
  out.close(']');
  out.close('}');
}

// The error message; empty: the function exists, or none was named.
std::string unknown_function(const std::string& wanted, const Program& program,
                             const Names& names) {
  std::vector<std::string_view> known;
  for (const Function& f : program.functions) known.push_back(names.text(f.name));
  if (wanted.empty() || std::ranges::find(known, wanted) != known.end()) return {};
  const auto meant = closest(wanted, known);
  return fmt::format("--function: there is no function '{}'{}", wanted,
                     meant ? fmt::format("; did you mean {}?", *meant) : "");
}

std::string drawn(const std::string& what, const Program& program, const Names& names) {
  return what == "cfg" ? to_dot(cfg_drawing(program, names))
                       : to_dot(dominators_drawing(program, names, what == "postdom"));
}

// The rows of one function, or of its versions; of all if none is named.
ReportRows rows_of(const std::string& function, ReportRows rows) {
  if (function.empty()) return rows;
  std::erase_if(rows, [&](const ReportRow& row) {
    return row.key != function && !row.key.starts_with(function + ".");
  });
  return rows;
}

std::vector<Section> sections(const AnalyzeOptions& o, const std::vector<std::string>& shown,
                              const Program& program, const Names& names) {
  const ProgramEffects effects(program);
  const ExitTargets targets(program);
  std::vector<Section> all;
  for (const Function& f : program.functions) {
    if (!o.function.empty() && names.text(f.name) != o.function) continue;
    for (const Version& v : f.versions) {
      VersionAnalyses facts(program, f, v, targets);
      for (const std::string& name : shown)
        if (const Reporter* const reporter = find_reporter(name))
          all.push_back({name, std::string(names.text(f.name)), std::string(names.text(v.name)),
                         reporter->rows(facts, effects, names)});
    }
  }
  for (const std::string& name : shown)
    if (const ProgramReporter* const reporter = find_program_reporter(name))
      all.push_back({name, {}, {}, rows_of(o.function, reporter->rows(program, effects, names))});
  return all;
}

std::string report(const AnalyzeOptions& o, const std::vector<std::string>& shown,
                   const Program& program, const Names& names) {
  if (o.dot) return drawn(shown[0], program, names);
  const std::vector<Section> all = sections(o, shown, program, names);
  if (o.json) {
    JsonText out;
    out.open('[');
    for (const Section& section : all) write_json(out, section);
    out.close(']');
    return out.take() + "\n";
  }
  std::string out;
  for (const Section& section : all) out += (out.empty() ? "" : "\n") + as_text(section);
  return out;
}

int run_analyze(const AnalyzeOptions& options) {
  const std::vector<std::string> shown = split(options.show);
  if (const std::string problem = check_options(options, shown); !problem.empty())
    return usage_error("analyze", problem);
  Names names;
  const std::optional<Loaded> loaded = load_file(options.file, names);
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    return exit_status::kRejected;
  }
  if (const std::string problem = unknown_function(options.function, loaded->program, names);
      !problem.empty())
    return usage_error("analyze", problem);
  standard_output().write(report(options, shown, loaded->program, names));
  return exit_status::kFine;
}

} // namespace

Command analyze_command() {
  const auto o = std::make_shared<AnalyzeOptions>();
  std::string details = "Analyses:\n";
  for (const Reporter& r : all_reporters())
    details += fmt::format("  {:<8} {}\n", r.name, r.summary);
  for (const ProgramReporter& r : all_program_reporters())
    details += fmt::format("  {:<8} {}\n", r.name, r.summary);
  Command c{.name = "analyze",
            .summary = "Show what the analyses find out.",
            .details = details + "\nExamples:\n"
                                 "  sourir analyze program.sou --show=live,guards\n"
                                 "  sourir analyze program.sou --show=dom --dot | dot -Tsvg\n"};
  c.flags = {
      text_flag("--show", "ANALYSES", o->show, "names with commas between (default: cfg)"),
      text_flag("--function", "NAME", o->function, "only the versions of this function"),
      switch_flag("--json", o->json, "the same as JSON"),
      switch_flag("--dot", o->dot, "a graph for Graphviz: cfg, dom or postdom"),
  };
  c.run = [o](const std::vector<std::string>& files) {
    return o->file = files[0], run_analyze(*o);
  };
  return c;
}

} // namespace sourir
