// `sourir fmt`: programs in the canonical layout.
#include "sourir/cli/commands.h"

#include "sourir/cli/line_diff.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <memory>

namespace sourir {

namespace {

struct FmtOptions {
  std::vector<std::string> files; // "-": standard input
  bool check = false;             // change nothing; name the files that are not formatted
  bool diff = false;              // change nothing; show what would change
  bool in_place = false;          // rewrite the files
  bool paper = false;             // the paper's notation
  bool json = false;              // the report of --check and -i as JSON
};

struct Formatted {
  std::string file;
  bool formatted = false; // before the command
  int status = exit_status::kFine;
};

// parse(print(p)) == p, comments included.
bool reads_back(const std::string& text, const Program& program, Names& names) {
  Diagnostics problems;
  const Parsed again = parse(Source("formatted", text), names, problems);
  return !problems.has_errors() && again.program == program;
}

// Shows, compares or writes the canonical text of a file. Returns the exit status.
int deliver(const FmtOptions& options, Formatted& file, std::string_view before,
            const std::string& after) {
  file.formatted = before == after;
  if (options.check || options.diff) {
    if (file.formatted) return exit_status::kFine;
    if (!options.json)
      say(fmt::format("{} is not formatted\n", printable(display_name(file.file))));
    if (options.diff) standard_output().write(line_diff(before, after));
    return options.check ? exit_status::kFound : exit_status::kFine;
  }
  if (!options.in_place) {
    standard_output().write(after);
    return exit_status::kFine;
  }
  if (file.formatted) return exit_status::kFine;
  if (const std::string problem = replace_file(file.file, after); !problem.empty()) {
    say_error(problem);
    return exit_status::kUnwritable;
  }
  if (!options.json) say(fmt::format("formatted {}\n", printable(file.file)));
  return exit_status::kFine;
}

int format(const FmtOptions& options, Formatted& file) {
  const LoadOptions load_options{.check = false};
  auto text = read_file(file.file, load_options.max_bytes);
  if (const auto* problem = std::get_if<FileProblem>(&text)) {
    say_error(problem->message);
    return exit_status::kUnreadable;
  }
  const std::string before = std::move(std::get<std::string>(text));
  if (looks_like_json(before) && (options.check || options.in_place || options.diff)) {
    say_error(fmt::format("'{}' is in the JSON form, which has no layout to keep; "
                          "`sourir convert --to=sou` makes text of it",
                          file.file));
    return exit_status::kUsage;
  }
  Names names;
  const Loaded loaded = load(display_name(file.file), before, names, load_options);
  if (loaded.problems.has_errors()) {
    show_problems(loaded);
    return exit_status::kRejected;
  }
  const Notation notation = options.paper ? Notation::Paper : Notation::Prototype;
  const std::string after = print(loaded.program, names, notation);
  if (!reads_back(after, loaded.program, names)) {
    say_error(fmt::format("'{}': the formatted text reads as another program. The file is as it "
                          "was. This is a bug of sourir: please report it with the file",
                          file.file));
    return exit_status::kBug;
  }
  return deliver(options, file, before, after);
}

std::string as_json(const std::vector<Formatted>& files) {
  Json json{{"format", "fmt"}, {"version", 1}, {"files", Json::array()}};
  for (const Formatted& f : files)
    if (f.status <= exit_status::kFound)
      json["files"].push_back({{"file", display_name(f.file)}, {"formatted", f.formatted}});
  return json_text(json);
}

// The exit status: 0; 1 with --check if a file is not formatted; 65 if one has syntax errors; 66 if
// one cannot be read. A file is rewritten only if its new text parses as the same program.
int run_fmt(const FmtOptions& options) {
  if (options.in_place && (options.check || options.diff))
    return usage_error("fmt", "-i changes files, --check and --diff do not: choose one");
  if (options.json && !options.check && !options.in_place)
    return usage_error("fmt", "--json goes with --check or -i");
  if (options.json && options.diff) return usage_error("fmt", "--diff has no JSON form");
  std::vector<Formatted> files;
  int status = exit_status::kFine;
  for (const std::string& path : options.files) {
    if (options.in_place && path == "-")
      return usage_error("fmt", "-i rewrites files; standard input is none");
    files.push_back({path});
    files.back().status = format(options, files.back());
    status = std::max(status, files.back().status);
  }
  if (options.json) standard_output().write(as_json(files));
  return status;
}

} // namespace

Command fmt_command() {
  const auto o = std::make_shared<FmtOptions>();
  Command c{.name = "fmt",
            .summary = "Print programs in the canonical layout.",
            .details =
                "Comments stay. The text is read back and compared before a file changes.\n"
                "Exit status: 0 fine, 1 with --check if a file is not formatted, 65 a syntax\n"
                "error, 66 a file cannot be read.\n\n"
                "Examples:\n"
                "  sourir fmt program.sou\n"
                "  sourir fmt -i *.sou\n"
                "  sourir fmt --check --diff *.sou\n"};
  c.operands.most = kAnyNumber;
  c.flags = {
      switch_flag("-i,--in-place", o->in_place, "rewrite the files"),
      switch_flag("--check", o->check, "only say which files are not formatted"),
      switch_flag("--diff", o->diff, "show what would change"),
      switch_flag("--paper", o->paper, "the paper's notation: fewer brackets, no $ in branch"),
      switch_flag("--json", o->json, "what --check and -i say, as JSON on standard output"),
  };
  c.run = [o](const std::vector<std::string>& files) { return o->files = files, run_fmt(*o); };
  return c;
}

} // namespace sourir
