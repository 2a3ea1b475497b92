// `sourir convert`: a program in another form: text, JSON, LaTeX, Graphviz, Mermaid.
#include "sourir/cli/commands.h"

#include "sourir/analysis/program_drawings.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/latex.h"
#include "sourir/syntax/text/printer.h"

#include <memory>

namespace sourir {

namespace {

struct ConvertOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string to;           // sou, json, latex, dot, mermaid; empty: by the name of `output`
  std::string graph;        // of a drawing: cfg (the default), versions
  std::string output = "-"; // replaced at once; "-": standard output
  bool paper = false;       // sou: the paper's notation
  bool standalone = false;  // latex: a document that compiles, not a part of one
};

// The form by the ending of a file's name; empty: unknown.
std::string form_of(const std::string& path) {
  if (path.ends_with(".json")) return "json";
  if (path.ends_with(".sou")) return "sou";
  if (path.ends_with(".tex")) return "latex";
  if (path.ends_with(".dot")) return "dot";
  return path.ends_with(".mmd") ? "mermaid" : "";
}

bool draws(const ConvertOptions& o) { return o.to == "dot" || o.to == "mermaid"; }

std::string check_options(const ConvertOptions& o) {
  if (o.to.empty()) return "convert to what? --to=sou, json, latex, dot or mermaid";
  if (!o.graph.empty() && !draws(o)) return "--graph goes with --to=dot and --to=mermaid";
  if (o.paper && o.to != "sou") return "--paper goes with --to=sou";
  if (o.standalone && o.to != "latex") return "--standalone goes with --to=latex";
  return {};
}

std::string converted(const ConvertOptions& o, const Loaded& loaded, const Names& names) {
  if (o.to == "json") return to_json(loaded.program, loaded.spans, names);
  if (draws(o)) {
    const Drawing drawing = o.graph == "versions" ? versions_drawing(loaded.program, names)
                                                  : cfg_drawing(loaded.program, names);
    return o.to == "dot" ? to_dot(drawing) : to_mermaid(drawing);
  }
  if (o.to == "latex") return to_latex(loaded.program, names, o.standalone);
  return print(loaded.program, names, o.paper ? Notation::Paper : Notation::Prototype);
}

int run_convert(const ConvertOptions& given) {
  ConvertOptions options = given;
  if (options.to.empty()) options.to = form_of(options.output);
  if (const std::string problem = check_options(options); !problem.empty())
    return usage_error("convert", problem);
  Names names;
  const std::optional<Loaded> loaded = load_file(options.file, names, {.check = draws(options)});
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    return exit_status::kRejected;
  }
  const std::string text = converted(options, *loaded, names);
  if (options.output == "-") {
    standard_output().write(text);
    return exit_status::kFine;
  }
  const std::string problem = replace_file(options.output, text);
  if (problem.empty()) return exit_status::kFine;
  say_error(problem);
  return exit_status::kUnwritable;
}

} // namespace

Command convert_command() {
  const auto o = std::make_shared<ConvertOptions>();
  Command c{.name = "convert",
            .summary = "Turn a program into another form.",
            .details = "Every command reads .sou and .sou.json alike.\n\n"
                       "Examples:\n"
                       "  sourir convert program.sou --to=json\n"
                       "  sourir convert program.sou -o program.sou.json\n"
                       "  sourir convert program.sou --to=latex --standalone -o program.tex\n"
                       "  sourir convert program.sou --to=dot --graph=versions | dot -Tsvg\n"
                       "  sourir convert program.sou --to=mermaid   for a Markdown page\n"};
  c.flags = {
      choice_flag("--to", Flag::Takes::Value, {"sou", "json", "latex", "dot", "mermaid"}, o->to,
                  "the form (default: what the name of the output says)"),
      choice_flag("--graph", Flag::Takes::Value, {"cfg", "versions"}, o->graph,
                  "dot, mermaid: basic blocks (the default), or versions; both with exits"),
      text_flag("-o,--output", "FILE", o->output, "where it goes (default: standard output)"),
      switch_flag("--paper", o->paper, "sou: in the paper's notation"),
      switch_flag("--standalone", o->standalone, "latex: a document that compiles by itself"),
  };
  c.run = [o](const std::vector<std::string>& files) {
    return o->file = files[0], run_convert(*o);
  };
  return c;
}

} // namespace sourir
