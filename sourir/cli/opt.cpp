#include "sourir/cli/opt.h"

#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/bisim/version_check.h"
#include "sourir/cli/commands.h"
#include "sourir/cli/counterexample_json.h"
#include "sourir/cli/line_diff.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

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

// Returns the error, or nothing.
std::string write_to(const std::string& path, const std::string& text) {
  if (path != "-") return replace_file(path, text);
  standard_output().write(text);
  return {};
}

// The command that verifies the same.
std::string command_line(const OptOptions& o) {
  std::string line = "sourir opt " + shell_word(o.file);
  for (const std::string& passes : o.setup.passes) line += " " + shell_word("--pass=" + passes);
  for (const std::string& a : o.setup.assumptions) line += " " + shell_word("--assume=" + a);
  if (!o.setup.feedback.empty()) line += " " + shell_word("--feedback=" + o.setup.feedback);
  if (!o.setup.function.empty()) line += " --function=" + o.setup.function;
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
    report(!result_.error.empty() || watch.status() == exit_status::kBug);
    if (!result_.error.empty()) {
      say_pass_error(result_, names_);
      return interrupted() ? exit_status::kInterrupted : exit_status::kRejected;
    }
    if (watch.status() == exit_status::kBug || watch.status() == exit_status::kFound)
      return watch.status(); // the program of a wrong pass is not written
    const int written = write();
    return written != exit_status::kFine ? written : watch.status();
  }

private:
  // To standard error.
  void report(bool failed) const {
    const OptReport report{result_, before_};
    if (options_.stats == "json")
      say(json_text(as_json("pass-statistics")));
    else if (!options_.stats.empty())
      say(statistics_text(report));
    // After a difference the report about it comes last, but for who asks for statistics.
    // And none where an error is why there was nothing to compare.
    const bool compared = verifier_ && (!failed || verifier_->changes() != 0);
    if (compared && options_.stats != "json" &&
        (!options_.stats.empty() || verifier_->status() != exit_status::kFound))
      say(verifier_->text());
    if (options_.time_passes) say(times_text(result_));
    if (!options_.remarks) return;
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
    "could not tell, 64 usage, 65 the program, the feedback or the result of exec:CMD or\n"
    "plugin:FILE is rejected, 66 a file cannot be read, 70 a bug of sourir, 74 the output\n"
    "cannot be written, 130 Ctrl-C (what is there by then is written).\n\n"
    "Examples:\n"
    "  sourir opt program.sou --pass=O1\n"
    "  sourir opt program.sou --pass='constprop,fix:8(copyprop,dce)' --print-changed\n"
    "  sourir opt program.sou --pass=O2 --assume 'f.v.Loop: x != nil' --stats\n"
    "  sourir opt program.sou --pass='exec:python3 pass.py' --verify-each\n"
    "  sourir opt program.sou --pass=plugin:./pass.so --verify-each\n";

} // namespace

Command opt_command() {
  const auto o = std::make_shared<OptOptions>();
  Command c{.name = "opt", .summary = "Optimize a program.", .details = kOptDetails};
  c.operands.least = 0;
  add_pass_flags(c.flags, o->setup);
  c.flags.insert(
      c.flags.end(),
      {
          text_flag("--function", "F", o->setup.function,
                    "optimize F alone, as the tiers of `sourir run` do, with what --feedback says "
                    "that they made it from"),
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

namespace {

// The sums over all runs of one pass with the same options.
struct PassTotal {
  std::string pass;
  std::uint64_t runs = 0, changed = 0, rewrites = 0;
  double milliseconds = 0;
};

// In the order of the first runs.
std::vector<PassTotal> totals(const PipelineResult& result) {
  std::vector<PassTotal> all;
  std::unordered_map<std::string, std::size_t> where;
  for (const PassReport& report : result.reports) {
    const auto [found, added] = where.emplace(report.pass, all.size());
    if (added) all.push_back({report.pass});
    PassTotal& total = all[found->second];
    ++total.runs;
    total.changed += report.changed ? 1 : 0;
    total.rewrites += report.rewrites;
    total.milliseconds += report.milliseconds;
  }
  return all;
}

std::size_t width(const std::vector<PassTotal>& all) {
  std::size_t widest = 4;
  for (const PassTotal& total : all) widest = std::max(widest, total.pass.size());
  return widest;
}

Json size_json(const ProgramSize& size) {
  return {{"functions", size.functions},
          {"versions", size.versions},
          {"instructions", size.instructions}};
}

} // namespace

std::string passes_text() {
  std::string out;
  for (const PassRow& row : all_passes()) {
    out += fmt::format("{}\n  {}\n  --pass={}\n", row.name, row.summary, row.example);
    for (const OptionRow& option : row.options)
      out += fmt::format("    :{}{}{}  {}\n", option.name, option.value.empty() ? "" : "=",
                         option.value, option.help);
  }
  out +=
      "\nEach of them takes :functions=f+g, to look at these functions only.\n"
      "fix(a,b) repeats passes until nothing changes, fix:N(a,b) at most N times; exec:CMD runs\n"
      "a pass of yours: the program comes as JSON, the answer is {\"program\": ..., "
      "\"state_map\": ...}.\n"
      "plugin:FILE runs one in C++ from a shared library; plugin:FILE:NAME, if it has several.\n\n";
  for (const Preset& preset : all_presets())
    out += fmt::format("{}\n  {}\n  = {}\n", preset.name, preset.summary, preset.pipeline);
  return out;
}

Json passes_json() {
  Json json{{"format", "passes"}, {"version", 1}, {"passes", Json::array()}};
  for (const PassRow& row : all_passes()) {
    Json options = Json::array();
    for (const OptionRow& option : row.options)
      options.push_back({{"name", option.name}, {"value", option.value}, {"help", option.help}});
    json["passes"].push_back({{"name", row.name},
                              {"summary", row.summary},
                              {"example", row.example},
                              {"options", std::move(options)}});
  }
  json["presets"] = Json::array();
  for (const Preset& preset : all_presets())
    json["presets"].push_back(
        {{"name", preset.name}, {"summary", preset.summary}, {"pipeline", preset.pipeline}});
  return json;
}

ProgramSize size_of(const Program& program) {
  ProgramSize size;
  size.functions = program.functions.size();
  for (const Function& function : program.functions) {
    size.versions += function.versions.size();
    for (const Version& version : function.versions) size.instructions += version.body.size();
  }
  return size;
}

std::string statistics_text(const OptReport& report) {
  const auto all = totals(report.result);
  const std::size_t wide = width(all);
  std::string out =
      fmt::format("{:<{}}  {:>5}  {:>7}  {:>8}\n", "pass", wide, "runs", "changed", "rewrites");
  for (const PassTotal& total : all)
    out += fmt::format("{:<{}}  {:>5}  {:>7}  {:>8}\n", total.pass, wide, total.runs, total.changed,
                       total.rewrites);
  const ProgramSize after = size_of(report.result.program);
  const auto line = [&](const char* what, std::size_t before, std::size_t now) {
    out += fmt::format("{}: {} -> {}\n", what, before, now);
  };
  line("functions", report.before.functions, after.functions);
  line("versions", report.before.versions, after.versions);
  line("instructions", report.before.instructions, after.instructions);
  return out;
}

Json statistics_json(const OptReport& report) {
  Json json{{"format", "pass-statistics"}, {"version", 1}, {"passes", Json::array()}};
  for (const PassTotal& total : totals(report.result))
    json["passes"].push_back({{"pass", total.pass},
                              {"runs", total.runs},
                              {"changed", total.changed},
                              {"rewrites", total.rewrites},
                              {"milliseconds", total.milliseconds}});
  json["before"] = size_json(report.before);
  json["after"] = size_json(size_of(report.result.program));
  json["remarks"] = remarks(report.result);
  return json;
}

std::string times_text(const PipelineResult& result) {
  auto all = totals(result);
  std::ranges::stable_sort(all, std::greater{}, &PassTotal::milliseconds);
  double sum = 0;
  for (const PassTotal& total : all) sum += total.milliseconds;
  const std::size_t wide = width(all);
  std::string out = fmt::format("{:>10}  {:>6}  {:<{}}  {:>5}\n", "ms", "%", "pass", wide, "runs");
  for (const PassTotal& total : all)
    out +=
        fmt::format("{:>10.3f}  {:>6.1f}  {:<{}}  {:>5}\n", total.milliseconds,
                    sum > 0 ? 100 * total.milliseconds / sum : 0.0, total.pass, wide, total.runs);
  out += fmt::format("{:>10.3f}  in all\n", sum);
  if (result.map_milliseconds > 0)
    out += fmt::format("{:>10.3f}  to compose the state map\n", result.map_milliseconds);
  return out;
}

std::vector<std::string> remarks(const PipelineResult& result) {
  std::vector<std::string> all;
  std::unordered_set<std::string> said;
  const auto add = [&](std::string remark) {
    if (said.insert(remark).second) all.push_back(std::move(remark));
  };
  for (const PassReport& report : result.reports)
    for (const std::string& remark : report.remarks)
      add(fmt::format("{}: {}", report.pass, remark));
  for (const std::string& remark : result.remarks) add(remark);
  return all;
}

std::string PassVerifier::read_inputs(const std::string& path, const Program& program,
                                      Names& names) {
  if (!path.empty()) return check_inputs(path, program, options_.seed, names, inputs_);
  inputs_ = generated_inputs(program, options_.seed, names);
  return {};
}

bool PassVerifier::fits(const PassEvent& event, const StateMap& map, Names& names) {
  const auto problems = structural_problems(event.before, event.after, map, names);
  for (const std::string& problem : problems)
    say_error(fmt::format("the pass {}: {}", event.report.pass, problem));
  if (!problems.empty()) status_ = exit_status::kFound;
  return problems.empty();
}

bool PassVerifier::agrees(const PassEvent& event, Names& names) {
  const StateMap map = event.map();
  if (!fits(event, map, names)) return false;
  ++changes_;
  options_.interrupt = &stop_requested();
  LockstepVerdict verdict =
      check_lockstep(event.before, event.after, map, inputs_, options_, names);
  if (verdict.agreement != Agreement::Different)
    verdict.add(check_entries(event.before, event.after, map, inputs_.front(), options_, names));
  sum_.runs += verdict.runs;
  sum_.steps += verdict.steps;
  sum_.events += verdict.events;
  sum_.states += verdict.states;
  sum_.forced += verdict.forced;
  sum_.not_mapped += verdict.not_mapped;
  sum_.mapped_exits += verdict.mapped_exits;
  sum_.inconclusive += verdict.inconclusive;
  if (verdict.agreement != Agreement::Different) note_uncovered(event, map, names);
  if (verdict.agreement == Agreement::Equivalent) return true;
  const bool different = verdict.agreement == Agreement::Different;
  if (status_ != exit_status::kFound)
    status_ = different ? exit_status::kFound : exit_status::kInconclusive;
  if (different)
    say_error(fmt::format("the pass {} changes what the program does{}", event.report.pass,
                          verdict.input_at_fault
                              ? "; but the program's own exits are wrong: it does the same "
                                "without the pass when it exits there"
                              : ""));
  else
    return note_inconclusive(event.report.pass, verdict.report), true;
  say(verdict.report);
  const std::string again = fmt::format("{} --opt-bisect-limit={}", command_, changes_);
  say(fmt::format("again:\n  {}\n", again));
  difference_ = difference_json(verdict, again);
  (*difference_)["pass"] = event.report.pass;
  return false;
}

// Most changes of a pipeline need more steps for the same reason, which text() gives once.
void PassVerifier::note_inconclusive(const std::string& pass, const std::string& report) {
  const std::string why = report.substr(0, report.find('\n'));
  auto group = std::ranges::find(undecided_, why, &Undecided::why);
  if (group == undecided_.end()) group = undecided_.insert(group, {why, {}});
  group->passes.push_back(printable(pass));
}

// A change whose map says nothing was compared by events alone: that is no answer.
void PassVerifier::note_uncovered(const PassEvent& event, const StateMap& map, Names& names) {
  static constexpr std::size_t kShown = 8;
  const auto all = uncovered_positions(event.before, event.after, map, names);
  if (all.empty()) return;
  uncovered_ += all.size();
  if (status_ == exit_status::kFine) status_ = exit_status::kInconclusive;
  say(fmt::format("vacuous: {}: its state map gives no state that can be compared at\n",
                  printable(event.report.pass)));
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i)
    say(fmt::format("  {}\n", printable(all[i])));
  if (all.size() > kShown) say(fmt::format("  and {} more positions\n", all.size() - kShown));
}

Json PassVerifier::json() const {
  Json json{{"changes", changes_},
            {"runs", sum_.runs},
            {"steps", sum_.steps},
            {"events", sum_.events},
            {"states", sum_.states},
            {"forced", sum_.forced},
            {"not_mapped", sum_.not_mapped},
            {"uncovered", uncovered_},
            {"mapped_exits", sum_.mapped_exits},
            {"inconclusive", sum_.inconclusive}};
  if (difference_) json["difference"] = *difference_;
  return json;
}

std::string PassVerifier::text() const {
  std::string out;
  for (const auto& [why, passes] : undecided_)
    out += fmt::format("inconclusive: {}{}, at {}: {}\n", why,
                       why.ends_with("fuel") ? " (--fuel N allows more steps)" : "",
                       counted(passes.size(), "change"), fmt::join(passes, ", "));
  if (changes_ == 0) return out + "verified: nothing, as no pass changed the program\n";
  return out + fmt::format(
                   "verified: {}, {} of {}, {} compared, {} not mapped, {} exited through the map, "
                   "{} inconclusive\n",
                   counted(changes_, "change"), counted(sum_.runs, "run"),
                   counted(sum_.steps, "step"), counted(sum_.states, "state"), sum_.not_mapped,
                   counted(sum_.mapped_exits, "position"), sum_.inconclusive);
}

namespace {

// Programs of fewer instructions are checked for well-formedness after each pass: it costs little.
constexpr std::size_t kSmall = 10000;
constexpr std::size_t kWholeDiff = 1000000; // lines

bool is_small(const Program& program) {
  std::size_t count = 0;
  for (const Function& function : program.functions)
    for (const Version& version : function.versions) count += version.body.size();
  return count < kSmall;
}

std::string summary(const PassReport& report) {
  if (!report.changed) return fmt::format("{}: no change", report.pass);
  return fmt::format("{}: {}", report.pass, counted(report.rewrites, "rewrite"));
}

} // namespace

void PassWatch::show(const PassEvent& event) const {
  if (!options_.print_after_all && !options_.print_changed) return;
  say(fmt::format("*** {}\n", printable(summary(event.report))));
  if (!event.report.changed) return;
  const std::string after = print(event.after, names_);
  say(options_.print_changed ? line_diff(print(event.before, names_), after, kWholeDiff) : "");
  say(options_.print_after_all ? after : "");
}

// Numbers the changes, so that a bisection finds the one that breaks a program.
bool PassWatch::over_limit(const PassReport& report) {
  if (!report.changed || options_.bisect_limit == OptOptions::kNoLimit) return false;
  const bool over = ++changes_ > options_.bisect_limit;
  say(fmt::format("bisect: change {}: {}{}\n", changes_, printable(summary(report)),
                  over ? ": left out; the pipeline ends here" : ""));
  return over;
}

bool PassWatch::broken(const Program& program, const std::string& pass) {
  if (is_wellformed(program, names_)) return false;
  show_not_wellformed(fmt::format("output of {}", pass), program, names_);
  say_error(fmt::format("the output of {} is not well-formed", pass));
  say("This is a bug of sourir " SOURIR_VERSION ". Please report it with the command line, the "
      "files that it names\nand this message; with --print-after-all it shows the program before "
      "the pass, too.\n");
  status_ = exit_status::kBug;
  return true;
}

Verdict PassWatch::after(const PassEvent& event) {
  if (over_limit(event.report)) return Verdict::Undo;
  show(event);
  const bool look = event.report.changed && (options_.check_each || is_small(event.after));
  if (look && broken(event.after, "the pass " + event.report.pass)) return Verdict::Undo;
  if (verifier_ != nullptr && event.report.changed && !verifier_->agrees(event, names_)) {
    status_ = exit_status::kFound;
    return Verdict::Undo;
  }
  if (!interrupted()) return Verdict::Continue;
  say_error(
      fmt::format("interrupted after the pass {}: what is shown is its result", event.report.pass));
  status_ = exit_status::kInterrupted;
  return Verdict::Stop;
}

void PassWatch::finish(const PipelineResult& result) {
  const bool looked = options_.check_each || is_small(result.program);
  if (!looked && status_ == exit_status::kFine)
    broken(result.program, "the passes (--check-each says which)");
  if (verifier_ != nullptr && status_ == exit_status::kFine) status_ = verifier_->status();
  if (options_.bisect_limit != OptOptions::kNoLimit && changes_ <= options_.bisect_limit)
    say(fmt::format("bisect: {} in all\n", counted(changes_, "change")));
}

} // namespace sourir
