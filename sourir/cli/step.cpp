// `sourir step`: the stepper on a screen, line by line or from a script.
#include "sourir/cli/commands.h"
#include "sourir/semantics/limits.h"

#include "sourir/cli/engine/replay_records.h"

#include "sourir/cli/load_file.h"
#include "sourir/cli/tui/step_line.h"
#include "sourir/cli/tui/step_screen.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/input_lines.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/replay/replay_tiers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <clocale>
#include <memory>

namespace sourir {

namespace {

struct StepOptions {
  std::string file;            // the program, text or JSON; "-": standard input
  std::string input;           // a file that the program reads; empty: no input
  std::string deopt = "never"; // the schedule of forced exits (schedule.h), one run only
  std::string watch;           // which guards are watched; empty: as `deopt` says
  std::string jit_schedule;    // a log of the tiers; empty: the program does not grow
  Limits limits;
  std::string script;      // a file of commands; "-": standard input; empty: none
  bool keep_going = false; // a script continues after a command that fails
  bool json = false;       // one JSON object a command, on a line of its own
  bool paper = false;      // source and instructions in the paper's notation
  bool no_screen = false;  // line by line also on a terminal
};

constexpr std::size_t kLongestScript = std::size_t{1} << 28;

std::string check_options(const StepOptions& o, Schedule& schedule, Names& names) {
  if (o.file == "-" && o.script.empty())
    return "the program comes from standard input: give the commands with --script FILE";
  if (int{o.file == "-"} + int{o.script == "-"} + int{o.input == "-"} > 1)
    return "only one of the program, its input and the script can come from standard input";
  if (o.input == "-" && o.script.empty())
    return "the commands come from standard input: give the program's input with --input FILE";
  auto parsed = parse_schedule(o.deopt, names);
  if (!parsed) return "--deopt: " + parsed.error().message;
  schedule = *std::move(parsed);
  if (!o.watch.empty()) {
    if (schedule.watch.any()) return "--deopt and --watch both say which guards are watched";
    auto watch = parse_watch(o.watch, names);
    if (!watch) return "--watch: " + watch.error().message;
    schedule.watch = *std::move(watch);
  }
  if (schedule.mapped)
    return fmt::format("--deopt={} goes through a state map into another program: it belongs to "
                       "`sourir bisim A B --map=FILE`",
                       o.deopt);
  if (schedule.mode == Schedule::Mode::Each || schedule.mode == Schedule::Mode::Pairs)
    return fmt::format("--deopt={} stands for many runs; the stepper shows one, as with "
                       "--deopt=at:1",
                       o.deopt);
  return {};
}

// The program as it is shown: with --paper, loaded from its text in that notation. Empty: an error,
// which has been reported; `status` is the exit status.
std::optional<Loaded> load_shown(const StepOptions& o, Names& names, int& status) {
  std::optional<Loaded> loaded = load_file(o.file, names);
  status = exit_status::kUnreadable;
  if (!loaded) return {};
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    status = exit_status::kRejected;
    return {};
  }
  if (!o.paper) return loaded;
  Loaded paper = load(loaded->source.name(), print(loaded->program, names, Notation::Paper), names);
  if (!paper.problems.has_errors()) return paper;
  say_error("the program cannot be read back in the paper's notation: a bug of ours");
  status = exit_status::kBug;
  return {};
}

class SteppedFile {
public:
  SteppedFile(const StepOptions& options, Loaded loaded, Schedule schedule, Names& names)
      : options_(options), names_(names), schedule_(std::move(schedule)),
        program_(std::move(loaded), names, options.paper ? Notation::Paper : Notation::Prototype) {}

  int run() {
    if (const Result<> watch = resolve(schedule_.watch, program_.linked()); !watch)
      return usage_error("step", "--watch: " + watch.error().message);
    if (const Result<> resolved = resolve(schedule_, program_.linked()); !resolved)
      return usage_error("step", "--deopt: " + resolved.error().message);
    std::optional<JitSchedule> log;
    if (const int status = load_tier_log("step", options_.jit_schedule, options_.deopt,
                                         program_.linked(), names_, log);
        status != exit_status::kFine)
      return status;
    std::optional<GrowthSchedule> growth;
    if (log) growth = growth_of(*log), show_versions(*log);
    OpenFile input;
    if (!options_.input.empty()) {
      auto opened = open_to_read(options_.input);
      if (const auto* problem = std::get_if<FileProblem>(&opened)) {
        say_error(problem->message);
        return exit_status::kUnreadable;
      }
      input = std::get<OpenFile>(std::move(opened));
    }
    InputLines lines(std::move(input), options_.input, [] {});
    Input literals([&] { return lines.next(); }, names_);
    StepSession session(program_, literals, schedule_, options_.limits, !options_.input.empty(),
                        SignalWatch::interrupt(), growth ? &*growth : nullptr);
    const int status = step(session);
    if (!lines.problem().empty()) say_error(lines.problem());
    return status;
  }

private:
  void show_versions(const JitSchedule& log) {
    for (std::size_t k = 0; k < log.versions.size(); ++k)
      for (const auto& code : log.versions[k]->streams) {
        const Function* function = find_function(*log.versions[k]->program, code->function);
        program_.add(*code, function->params, fmt::format("version {} of the log", k + 1));
      }
  }

  int step(StepSession& session) {
    const SignalWatch watch;
    if (!options_.script.empty()) return script(session);
    const bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
    if (terminal && !options_.no_screen && !options_.json)
      if (const auto status = run_screen(session)) return *status;
    return run_lines(session, options_.json);
  }

  int script(StepSession& session) {
    auto text = read_file(options_.script, kLongestScript);
    if (const auto* problem = std::get_if<FileProblem>(&text)) {
      say_error(problem->message);
      return exit_status::kUnreadable;
    }
    return run_script(session,
                      {display_name(options_.script), std::get<std::string>(std::move(text)),
                       options_.json, options_.keep_going});
  }

  const StepOptions& options_;
  Names& names_;
  Schedule schedule_;
  StepProgram program_;
};

// The exit status: 0; 64 for a usage error or a script's command that failed; 65 for a program that
// is rejected; 66 for a file that cannot be read; 70 for a bug; 130 if a script was interrupted.
int run_step(const StepOptions& options) {
  Names names;
  Schedule schedule;
  if (const std::string problem = check_options(options, schedule, names); !problem.empty())
    return usage_error("step", problem);
  std::setlocale(LC_CTYPE, "");
  int status = exit_status::kFine;
  std::optional<Loaded> loaded = load_shown(options, names, status);
  if (!loaded) return status;
  status = SteppedFile(options, std::move(*loaded), std::move(schedule), names).run();
  // The terminal and the handlers are restored: the signal that asked the process to end is raised.
  if (SignalWatch::ending() != 0) {
    standard_output().flush();
    std::raise(SignalWatch::ending());
  }
  return status;
}

} // namespace

Command step_command() {
  const auto o = std::make_shared<StepOptions>();
  Command c{.name = "step",
            .summary = "Go through a program, forward and back over every rule.",
            .details = "Examples:\n"
                       "  sourir step program.sou                     `help` lists the commands\n"
                       "  echo 'step 3; env' > s && sourir step program.sou --script s\n"
                       "  sourir run program.sou --jit-sync --tiers=schedule --tiers-file log\n"
                       "  sourir step program.sou --jit-schedule log     what the tiers did\n"};
  c.flags = {
      text_flag("--input", "FILE", o->input, "what the program reads, one literal a line"),
      with_alias(
          with_schedules(given_once(text_flag(
                             "--deopt", "SCHEDULE", o->deopt,
                             "when to take exits that need not be taken, as for `sourir run`")),
                         false),
          "--leave"),
      given_once(text_flag("--watch", "WHICH", o->watch,
                           "guards that are watched instead of tested, as for `sourir run`")),
      text_flag("--jit-schedule", "FILE", o->jit_schedule,
                "a log of what the tiers did (run --tiers=schedule): their versions and OSR "
                "entries are steps, too"),
      text_flag("--script", "FILE", o->script, "commands to do instead of asking for them"),
      switch_flag("--keep-going", o->keep_going, "a command that fails does not end a script"),
      switch_flag("--paper", o->paper, "show instructions in the paper's notation"),
      switch_flag("--no-screen", o->no_screen, "line by line also on a terminal"),
      switch_flag("--json", o->json, "what each command shows as one JSON object on its line"),
  };
  add_limit_flags(c.flags, o->limits);
  c.run = [o](const std::vector<std::string>& files) { return o->file = files[0], run_step(*o); };
  return c;
}

} // namespace sourir
