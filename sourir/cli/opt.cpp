#include "sourir/cli/opt.h"

#include "sourir/cli/commands.h"
#include "sourir/cli/counterexample_json.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/opt_report.h"
#include "sourir/cli/opt_watch.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <memory>

namespace sourir {

namespace {

std::string check_options(const OptOptions& o) {
  if (o.file.empty()) return "FILE is missing";
  if (o.setup.passes.empty())
    return "which passes? --pass=O1 is a start, `sourir opt --list-passes` lists all";
  if (!o.verify_each && !o.input.empty()) return "--input goes with --verify-each";
  if (o.file == "-" && o.input == "-")
    return "the program and its input cannot both come from standard input";
  if (o.output != "-" && o.output == o.state_map) return "-o and --state-map name the same file";
  if (!o.state_map.empty() && same_file(o.state_map, o.file))
    return fmt::format("'{}' would be overwritten", o.file);
  return {};
}

// The problem, or nothing.
std::string write_to(const std::string& path, const std::string& text) {
  if (path != "-") return replace_file(path, text);
  standard_output().write(text);
  return {};
}

// That verifies the same again.
std::string command_line(const OptOptions& o) {
  std::string line = "sourir opt " + shell_word(o.file);
  for (const std::string& passes : o.setup.passes) line += " " + shell_word("--pass=" + passes);
  for (const std::string& a : o.setup.assumptions) line += " " + shell_word("--assume=" + a);
  if (!o.setup.feedback.empty()) line += " " + shell_word("--feedback=" + o.setup.feedback);
  if (!o.input.empty()) line += " " + shell_word("--input=" + o.input);
  if (o.fuel != OptOptions{}.fuel) line += fmt::format(" --fuel={}", o.fuel);
  return line + " --verify-each";
}

class Optimization {
public:
  Optimization(const OptOptions& options, const PreparedPasses& passes, Names& names)
      : options_(options), passes_(passes), names_(names) {}

  int run(Program program) {
    before_ = size_of(program);
    if (options_.verify_each) {
      verifier_.emplace().set_fuel(options_.fuel);
      verifier_->set_command(command_line(options_));
      const std::string problem = verifier_->read_inputs(options_.input, program, names_);
      if (!problem.empty()) return say_error(problem), exit_status::kUnreadable;
    }
    PassWatch watch(options_, verifier_ ? &*verifier_ : nullptr, names_);
    PipelineHooks hooks = passes_.hooks(names_);
    hooks.compose_maps = !options_.state_map.empty();
    hooks.maps = hooks.compose_maps || options_.verify_each;
    hooks.after_pass = [&](const PassEvent& event) { return watch.after(event); };
    watch_interrupts();
    result_ = passes_.run(std::move(program), names_, hooks);
    watch.finish(result_);
    tell();
    if (!result_.error.empty()) {
      say_error(result_.error);
      return interrupted() ? exit_status::kInterrupted : exit_status::kRejected;
    }
    if (watch.status() == exit_status::kBug || watch.status() == exit_status::kFound)
      return watch.status(); // the program of a wrong pass is not given to anybody
    const int written = write();
    return written != exit_status::kFine ? written : watch.status();
  }

private:
  // On standard error.
  void tell() const {
    const OptReport report{result_, before_};
    if (options_.stats == "json")
      say(json_text(as_json("pass-statistics")));
    else if (!options_.stats.empty())
      say(statistics_text(report) + (verifier_ ? verifier_->text() : ""));
    if (options_.time_passes) say(times_text(result_));
    if (!options_.remarks && options_.stats != "text") return;
    for (const std::string& remark : remarks(result_))
      say(fmt::format("remark: {}\n", printable(remark)));
  }

  int write() const {
    const bool json_form = options_.output.ends_with(".json");
    std::string problem;
    if (options_.json) standard_output().write(json_text(as_json("optimization")));
    if (!options_.json || options_.output != "-")
      problem = write_to(options_.output, json_form ? to_json(result_.program, {}, names_)
                                                    : print(result_.program, names_));
    if (problem.empty() && !options_.state_map.empty())
      problem = write_to(options_.state_map, to_json(*result_.map, names_));
    if (problem.empty()) return exit_status::kFine;
    say_error(problem);
    return exit_status::kUnwritable;
  }

  Json as_json(const std::string& format) const {
    Json json = statistics_json({result_, before_});
    json["format"] = format;
    if (verifier_) json["verified"] = verifier_->json();
    if (format == "optimization")
      json["program"] = Json::parse(to_json(result_.program, {}, names_));
    return json;
  }

  const OptOptions& options_;
  const PreparedPasses& passes_;
  Names& names_;
  std::optional<PassVerifier> verifier_;
  ProgramSize before_;
  PipelineResult result_;
};

int run_opt(const OptOptions& options) {
  if (options.list_passes) {
    standard_output().write(options.json ? json_text(passes_json()) : passes_text());
    return exit_status::kFine;
  }
  if (const std::string problem = check_options(options); !problem.empty())
    return usage_error("opt", problem);
  Names names;
  PreparedPasses passes;
  if (!passes.prepare("opt", options.setup, names)) return passes.status();
  std::optional<Loaded> loaded = load_file(options.file, names);
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    return exit_status::kRejected;
  }
  if (!passes.fits("opt", loaded->program, names)) return passes.status();
  return Optimization(options, passes, names).run(std::move(loaded->program));
}

constexpr const char* kOptDetails =
    "Exit status: 0 fine, 1 --verify-each found a difference (no program is written then), 2 it\n"
    "could not tell, 64 usage, 65 the program, the feedback or the answer of exec:CMD is\n"
    "rejected, 66 a file cannot be read, 70 a bug of sourir, 74 the output cannot be written,\n"
    "130 Ctrl-C (what is there by then is written).\n\n"
    "Examples:\n"
    "  sourir opt program.sou --pass=O1\n"
    "  sourir opt program.sou --pass='constprop,fix:8(copyprop,dce)' --print-changed\n"
    "  sourir opt program.sou --pass=O2 --assume 'f.v.Loop: x != nil' --stats\n"
    "  sourir opt program.sou --pass='exec:python3 pass.py' --verify-each\n";

} // namespace

Command opt_command() {
  const auto o = std::make_shared<OptOptions>();
  Command c{.name = "opt", .summary = "Optimize a program.", .details = kOptDetails};
  c.operands.least = 0;
  add_pass_flags(c.flags, o->setup);
  c.flags.insert(
      c.flags.end(),
      {
          switch_flag("--list-passes", o->list_passes, "all passes with their options"),
          text_flag("-o,--output", "FILE", o->output,
                    "where the program goes (default: standard output); *.json: as JSON"),
          text_flag("--state-map", "FILE", o->state_map,
                    "how states of the result map to states of the input, as JSON"),
          switch_flag("--print-after-all", o->print_after_all,
                      "the program after each pass, on standard error"),
          switch_flag("--print-changed", o->print_changed,
                      "what each pass changed, on standard error"),
          switch_flag("--verify-each", o->verify_each,
                      "run the program beside the one before after each change, compare events "
                      "and states, force exits"),
          text_flag("--input", "FILE", o->input,
                    "what it reads then, one literal a line (default: something generated)"),
          number_flag("--fuel", o->fuel, "steps that it may do then (default 100000)", 1),
          switch_flag("--check-each", o->check_each,
                      "look after each pass whether the program is well-formed, also if it has "
                      "10,000 instructions or more"),
          number_flag("--opt-bisect-limit", o->bisect_limit,
                      "keep the first N changes only; says on standard error which they are"),
          switch_flag("--remarks", o->remarks, "what the passes say, on standard error"),
          choice_flag("--stats", Flag::Takes::Optional, {"text", "json"}, o->stats,
                      "runs and rewrites of each pass, on standard error"),
          switch_flag("--time-passes", o->time_passes, "what each pass took, on standard error"),
          switch_flag("--json", o->json, "program and statistics as JSON on standard output"),
      });
  c.run = [o](const std::vector<std::string>& files) {
    if (!files.empty()) o->file = files[0];
    return run_opt(*o);
  };
  return c;
}

} // namespace sourir
