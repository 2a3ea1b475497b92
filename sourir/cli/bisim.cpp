// `sourir bisim`: lock-step comparison of two programs, versions or ways to deoptimize.
#include "sourir/cli/commands.h"

#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/bisim/random_schedules.h"
#include "sourir/bisim/rematerialized_states.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/bisim/version_check.h"
#include "sourir/cli/counterexample_json.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sourir {

namespace {

struct BisimOptions {
  std::vector<std::string> files; // A B, or one
  std::string map;                // a file: states of B in terms of A
  std::string input;              // one literal a line; empty: generated
  std::vector<std::string> deopt; // schedules; empty: the default of the check
  bool versions = false;
  std::string versions_of; // a function; empty: all
  bool transparency = false;
  std::uint64_t fuel = 1'000'000; // steps of a run
  std::uint64_t seed = 1;
  bool json = false;
};

constexpr std::size_t kShownPositions = 8;
constexpr std::size_t kLargestMap = std::size_t{1} << 30;

std::string check_options(const BisimOptions& o, Names& names) {
  const bool one = o.versions || o.transparency;
  if (o.versions && o.transparency) return "--versions and --transparency are two checks: do one";
  if (one && o.files.size() != 1) return "--versions and --transparency look at one FILE";
  if (!one && o.files.size() != 2)
    return "which check? Two files A B are compared; of one, --versions or --transparency";
  if (one && !o.map.empty()) return "--map goes with two files";
  const auto from_stdin = std::ranges::count(o.files, "-") + (o.input == "-") + (o.map == "-");
  if (from_stdin > 1) return "only one thing can come from standard input";
  for (const std::string& text : o.deopt) {
    const auto schedule = parse_schedule(text, names);
    if (!schedule) return "--deopt: " + schedule.error().message;
    if (schedule->mapped && o.map.empty())
      return fmt::format("--deopt={} goes through a state map: give it with --map=FILE (`sourir "
                         "opt --state-map=FILE` writes it)",
                         text);
  }
  return {};
}

class Bisim {
public:
  explicit Bisim(const BisimOptions& options) : options_(options) {}

  int run() {
    if (const std::string problem = check_options(options_, names_); !problem.empty())
      return usage_error("bisim", problem);
    if (const int status = read(); status != exit_status::kFine) return status;
    LockstepOptions check;
    check.fuel = options_.fuel;
    check.all_fuel = 100 * options_.fuel;
    check.depth = 2'000'000;
    check.seed = options_.seed;
    check.interrupt = &stop_requested();
    check.deopt = options_.deopt;
    check.every_place = true;
    watch_interrupts();
    if (options_.versions)
      compare_versions(check);
    else if (options_.transparency)
      compare_ways(check);
    else
      compare_programs(check);
    return report();
  }

private:
  // 0, or the exit status.
  int read() {
    for (const std::string& file : options_.files) {
      std::optional<Loaded> loaded = load_file(file, names_);
      if (!loaded) return exit_status::kUnreadable;
      if (loaded->problems.has_errors()) {
        show_problems(*loaded);
        return exit_status::kRejected;
      }
      programs_.push_back(std::move(loaded->program));
    }
    if (const int status = check_places(); status != exit_status::kFine) return status;
    const Program& reads = reads_input(programs_.front()) ? programs_.front() : programs_.back();
    const std::string problem = check_inputs(options_.input, reads, options_.seed, names_, inputs_);
    if (!problem.empty()) return say_error(printable(problem)), exit_status::kUnreadable;
    return options_.map.empty() ? exit_status::kFine : read_map();
  }

  // The names in the schedule and in --versions=F must exist.
  int check_places() {
    const auto exists = [&](const Function& f) {
      return f.name == names_.intern<FunName>(options_.versions_of);
    };
    if (!options_.versions_of.empty() && std::ranges::none_of(programs_[0].functions, exists))
      return usage_error("bisim", fmt::format("--versions: there is no function '{}'",
                                              printable(options_.versions_of)));
    const LinkedProgram linked(programs_.back(), names_);
    for (const std::string& text : options_.deopt) {
      auto schedule = *parse_schedule(text, names_);
      if (const Result<> resolved = resolve(schedule, linked); !resolved)
        return usage_error("bisim", "--deopt: " + resolved.error().message);
    }
    return exit_status::kFine;
  }

  int read_map() {
    auto text = read_file(options_.map, kLargestMap);
    if (const auto* problem = std::get_if<FileProblem>(&text))
      return say_error(problem->message), exit_status::kUnreadable;
    auto map = state_map_from_json(std::get<std::string>(text), names_);
    if (!map) {
      std::string why = map.error().message; // one problem a line
      for (auto at = why.find('\n'); at != std::string::npos; at = why.find('\n', at))
        why.replace(at, 1, "; ");
      say_error(fmt::format("'{}' is no state map: {}", options_.map, printable(why)));
      return exit_status::kRejected;
    }
    map_ = *std::move(map);
    const auto problems = structural_problems(programs_[0], programs_[1], *map_, names_);
    for (const std::string& problem : problems) say_error(printable(problem));
    if (!problems.empty()) return exit_status::kRejected;
    uncovered_ = uncovered_positions(programs_[0], programs_[1], *map_, names_);
    return exit_status::kFine;
  }

  void compare_programs(LockstepOptions check) {
    check.events_only = !map_;
    check.input_name = "A";
    check.output_name = "B";
    verdict_ = check_lockstep(programs_[0], programs_[1], map_.value_or(StateMap{}), inputs_, check,
                              names_);
    for (std::size_t i = 0; i < std::min(uncovered_.size(), kShownPositions); ++i)
      verdict_.unmet.push_back("--map: no state that can be compared at " + uncovered_[i]);
    if (uncovered_.size() > kShownPositions)
      verdict_.unmet.push_back(
          fmt::format("--map: nor at {} more positions at which it is mandatory",
                      uncovered_.size() - kShownPositions));
    if (map_ && verdict_.states == 0) verdict_.unmet.push_back("--map: no state was compared");
  }

  void compare_ways(LockstepOptions check) {
    check.events_only = true;
    check.as = Oracle::Transparency;
    check.input_name = "staying";
    check.output_name = "deoptimizing";
    if (check.deopt.empty()) {
      check.deopt = {"each"};
      check.watches = true;
    }
    verdict_ = check_lockstep(programs_[0], programs_[0], {}, inputs_, check, names_);
    std::optional<std::uint64_t> only;
    if (!options_.deopt.empty()) {
      const auto schedule = *parse_schedule(options_.deopt.front(), names_);
      if (options_.deopt.size() != 1 || schedule.numbers.size() != 1) return;
      only = schedule.numbers.front();
    }
    for (const auto& reads : inputs_)
      if (verdict_.agreement == Agreement::Equivalent && !rematerialized_.counterexample)
        rematerialized_.add(
            check_rematerialized_states(programs_[0], reads, check, names_, kAllSingleExits, only));
  }

  void compare_versions(LockstepOptions check) {
    std::optional<FunName> only;
    if (!options_.versions_of.empty()) only = names_.intern<FunName>(options_.versions_of);
    versions_ = check_versions(programs_[0], only, inputs_, std::move(check), names_);
    verdict_ = std::move(versions_.verdict);
  }

  std::string outcome() const {
    if (verdict_.agreement == Agreement::Different) return "different";
    if (verdict_.checker_failed) return "failed";
    if (verdict_.interrupted) return "interrupted";
    if (verdict_.agreement == Agreement::Inconclusive) return "inconclusive";
    return verdict_.vacuous() ? "vacuous" : "equivalent";
  }

  int status() const {
    if (verdict_.agreement == Agreement::Different) return exit_status::kFound;
    if (verdict_.checker_failed) return exit_status::kBug;
    if (verdict_.interrupted) return exit_status::kInterrupted;
    return outcome() == "equivalent" ? exit_status::kFine : exit_status::kInconclusive;
  }

  const Counterexample& difference() const {
    return verdict_.counterexample ? *verdict_.counterexample : *rematerialized_.counterexample;
  }

  // The command that reproduces the difference.
  std::string again(const std::string& deopt) const {
    if (versions_.driver)
      return fmt::format("sourir bisim THIS --versions --deopt={}   (THIS: the program below)",
                         shell_word(deopt));
    const bool given = !options_.input.empty() && options_.input != "-";
    std::string command = given ? "" : piped(difference().reads);
    const bool pipes = !command.empty();
    command += "sourir bisim";
    for (const std::string& file : options_.files) command += " " + shell_word(file);
    if (!options_.map.empty()) command += " --map=" + shell_word(options_.map);
    if (options_.versions) command += " --versions";
    if (options_.transparency) command += " --transparency";
    command += " --deopt=" + shell_word(deopt);
    if (given || pipes) command += " --input=" + (given ? shell_word(options_.input) : "-");
    if (options_.fuel != BisimOptions{}.fuel) command += fmt::format(" --fuel={}", options_.fuel);
    return command;
  }

  std::string tried() const {
    const LockstepVerdict& v = verdict_;
    std::string out = fmt::format("{} of {}, {} compared", counted(v.runs, "run"),
                                  counted(v.steps, "step"), counted(v.events, "event"));
    if (options_.transparency)
      out += fmt::format(", {}", counted(rematerialized_.states, "rematerialized state"));
    if (map_)
      out +=
          fmt::format(", {}, {} not mapped, {} exited through the map", counted(v.states, "state"),
                      v.not_mapped, counted(v.mapped_exits, "position"));
    if (options_.versions)
      out +=
          fmt::format("; {} with several versions, {} into another version, {} generated ({} "
                      "without end)",
                      counted(versions_.functions, "function"), counted(versions_.entries, "call"),
                      versions_.generated, versions_.without_end);
    else
      out += fmt::format("; {} could be forced, {} forced, {} failed or led nowhere; {} with an "
                         "exit, {} reached, {} forced",
                         counted(v.opportunities, "exit"), v.forced, v.skipped,
                         counted(v.exit_places, "place"), v.reached_places, v.forced_places);
    if (v.watched > 0)
      out += fmt::format("; {} watched, {} at invalidation points", counted(v.watched, "guard"),
                         counted(v.invalidated, "exit"));
    return out;
  }

  int report() {
    standard_output().write(options_.json ? json_text(json()) : text());
    return status();
  }

  std::string text() const {
    std::string out = fmt::format(
        "{}: {}\n", outcome() == "equivalent" ? "equivalent on what was tried" : outcome(),
        tried());
    out += printable_lines(verdict_.report);
    if (verdict_.agreement == Agreement::Inconclusive && !verdict_.checker_failed)
      out += "--fuel N allows more steps\n";
    for (const std::string& unmet : verdict_.unmet)
      out += "not compared: " + printable(unmet) + "\n";
    if (rematerialized_.counterexample)
      out += "worth a look, though it does the same:\n" + printable_lines(rematerialized_.report) +
             "again:\n  " + again(rematerialized_.counterexample->deopt) + "\n";
    if (!verdict_.counterexample) return out;
    if (verdict_.input_at_fault)
      out += "A does the same without B when it exits there: its own exits are wrong\n";
    out += "again:\n  " + again(difference().deopt) + "\n";
    if (versions_.driver) out += "\n" + print(*versions_.driver, names_);
    return out;
  }

  static std::string printable_lines(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += printable(text.substr(at, end - at)) + "\n";
      at = end + 1;
    }
    return out;
  }

  Json json() const {
    const LockstepVerdict& v = verdict_;
    Json out{{"format", "bisim"},
             {"version", 2},
             {"check", options_.versions       ? "versions"
                       : options_.transparency ? "transparency"
                                               : "programs"},
             {"outcome", outcome()},
             {"exit_code", status()}};
    out["tried"] = {{"runs", v.runs},
                    {"steps", v.steps},
                    {"events", v.events},
                    {"states", v.states},
                    {"not_mapped", v.not_mapped},
                    {"mapped_exits", v.mapped_exits},
                    {"opportunities", v.opportunities},
                    {"forced", v.forced},
                    {"watched", v.watched},
                    {"invalidated", v.invalidated},
                    {"skipped", v.skipped},
                    {"inconclusive", v.inconclusive},
                    {"functions", versions_.functions},
                    {"entries", versions_.entries},
                    {"entered", v.entered},
                    {"generated", versions_.generated}};
    if (!options_.versions)
      out["tried"].update({{"exit_places", v.exit_places},
                           {"reached_places", v.reached_places},
                           {"forced_places", v.forced_places}});
    if (v.agreement == Agreement::Inconclusive) out["why"] = v.report;
    if (!v.unmet.empty()) out["unmet"] = v.unmet;
    if (rematerialized_.counterexample)
      out["remark"] =
          difference_json(rematerialized_, again(rematerialized_.counterexample->deopt));
    if (!v.counterexample) return out;
    out["difference"] = difference_json(v, again(difference().deopt));
    if (versions_.driver) out["difference"]["program"] = print(*versions_.driver, names_);
    return out;
  }

  const BisimOptions& options_;
  Names names_;
  std::vector<Program> programs_;
  std::vector<std::vector<Value>> inputs_;
  std::optional<StateMap> map_;
  std::vector<std::string> uncovered_; // mandatory positions without a state that can be compared
  LockstepVerdict verdict_, rematerialized_;
  VersionsVerdict versions_;
};

int run_bisim(const BisimOptions& options) { return Bisim(options).run(); }

constexpr const char* kBisimDetails =
    "Exit status: 0 equivalent on what was tried, 1 different, 2 inconclusive (a limit) or "
    "vacuous\n"
    "(something that was asked for could not be compared: it says what), 64 usage,\n"
    "65 a program or the map is rejected, 66 a file cannot be read, 70 the check has failed, 130\n"
    "Ctrl-C.\n\n"
    "Examples:\n"
    "  sourir bisim a.sou b.sou                          by what can be observed\n"
    "  sourir bisim a.sou b.sou --map=b.map.json         and by states (`sourir opt --state-map`)\n"
    "  sourir bisim program.sou --versions=f             does it matter which version is active?\n"
    "  sourir bisim program.sou --transparency           may it deoptimize where guards hold?\n"
    "  sourir bisim a.sou b.sou --deopt=pairs --input=values\n";

} // namespace

Command bisim_command() {
  const auto o = std::make_shared<BisimOptions>();
  Command c{.name = "bisim",
            .summary = "Compare programs, versions of a function, or ways to go on at exits.",
            .details = kBisimDetails};
  c.operands.most = 2;
  Flag versions{.names = "--versions",
                .takes = Flag::Takes::Optional,
                .value = "F",
                .help = "enter the versions of each function (of F) with the same arguments, heap "
                        "and continuation"};
  versions.set = [o](const std::string& function) {
    o->versions = true;
    o->versions_of = function;
    return std::string();
  };
  c.flags = {
      std::move(versions),
      switch_flag(
          "--transparency", o->transparency,
          "take the exit of each assume whose guards hold and each anchor, one a run: the first "
          "at each place, the last, and some of the others"),
      text_flag("--map", "FILE", o->map, "how states of B map to states of A, as JSON"),
      text_flag("--input", "FILE", o->input,
                "what they read, one literal a line; - is standard input (default: something "
                "generated)"),
      with_alias(
          with_schedules(
              list_flag(
                  "--deopt", "SCHEDULE", o->deopt,
                  "(may be repeated: all are tried) when B takes exits that it need not take: "
                  "never, "
                  "always, each, pairs, every:K, "
                  "p:P:SEED, calls, at:LIST; map:each, map:at:LIST and such: go on in A where the "
                  "map "
                  "says how, in front of step K of LIST; or which version calls enter: "
                  "enter:any:SEED, enter:F.V, enter:K:V; or which guards are watched: "
                  "watch:always, "
                  "watch:at:LIST, or calls/watch:always and such (default: each, always, some at "
                  "random, watch:always)"),
              true),
          "--leave"),
      number_flag("--fuel", o->fuel, "steps of a run (default 1000000)", 1),
      number_flag("--seed", o->seed, "of what is drawn at random (default 1)"),
      switch_flag("--json", o->json, "the answer as JSON"),
  };
  c.run = [o](const std::vector<std::string>& files) { return o->files = files, run_bisim(*o); };
  return c;
}

} // namespace sourir
