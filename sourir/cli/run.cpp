#include "sourir/cli/run.h"

#include "native/engine/compiler_loader.h"
#include "sourir/cli/commands.h"
#include "sourir/cli/engine/native_run.h"
#include "sourir/cli/engine/replay_records.h"
#include "sourir/cli/engine/why_report.h"
#include "sourir/cli/events/event_report.h"
#include "sourir/cli/events/reference_events.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/run_report.h"
#include "sourir/cli/trace.h"
#include "sourir/cli/version_choice.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/input_lines.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/replay/replay_tiers.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <new>

namespace sourir {

namespace {

constexpr std::size_t kLongestMessage = 400; // it may quote a line of the input

// The error in the files that a run writes, or nothing.
std::string check_files(const RunOptions& o) {
  if (!o.report.empty() && o.report == o.trace_file)
    return "--report and --trace-file name the same file";
  if (!o.report.empty() && o.report == o.tier_file)
    return "--report and --tiers-file name the same file";
  for (const std::string& other : {o.report, o.trace_file, o.tier_file, o.passes.feedback})
    if (!o.feedback_out.empty() && o.feedback_out == other)
      return fmt::format("--feedback-out and another flag name the file '{}'", other);
  for (const std::string& out :
       {o.report, o.trace_file, o.tier_file, o.feedback_out, o.tiers.profile.report,
        o.tiers.profile.record, o.tiers.events.output})
    if (!out.empty() && (same_file(out, o.file) || same_file(out, o.input)))
      return fmt::format("'{}' would be overwritten while it is in use", out);
  return {};
}

// Adds what --watch says. Returns the usage error, or nothing.
std::string add_watch(const RunOptions& o, Schedule& schedule, Names& names) {
  if (!o.watch.empty()) {
    if (schedule.watch.any()) return "--deopt and --watch both say which guards are watched";
    auto watch = parse_watch(o.watch, names);
    if (!watch) return "--watch: " + watch.error().message;
    schedule.watch = *std::move(watch);
  }
  if (!schedule.watch.any()) return {};
  if (o.engine != "reference")
    return fmt::format(
        "--watch is a schedule of the reference, and --engine={} decides itself what "
        "it watches (--no-watchpoints): it needs --engine=reference",
        o.engine);
  if (!o.jit_schedule.empty())
    return "--watch takes other exits than the log of --jit-schedule has: they do not go together";
  return {};
}

// Sets `schedule`. Returns the usage error, or nothing.
std::string check_options(const RunOptions& o, Schedule& schedule, Names& names) {
  if (std::string problem = engine_problem(o.engine, o.tiers); !problem.empty()) return problem;
  if (o.engine != "reference" && !o.trace.empty())
    return fmt::format("a trace shows the rules of the semantics, which --engine={} does not go "
                       "through: it needs --engine=reference",
                       o.engine);
  if (o.engine == "reference" && !o.tier_log.empty())
    return "--tiers is about native code: it needs --engine=auto";
  if ((o.engine == "reference" || o.engine == "native") && !o.feedback_out.empty())
    return fmt::format("--feedback-out is what the interpreter records, which --engine={} does not "
                       "use: it needs --engine=auto or baseline",
                       o.engine);
  if (!o.tier_file.empty() && o.tier_log.empty())
    return "--tiers-file is where --tiers goes, which is not there";
  if (o.engine != "reference" && !o.jit_schedule.empty())
    return "--jit-schedule is for the reference: it needs --engine=reference";
  if (o.engine != "auto" && o.tiers.verify)
    return "--verify is about versions that --engine=auto makes";
  if (o.engine == "reference" && o.perf_map)
    return "--perf-map is about native code: it needs --engine=auto or native";
  if (o.passes.passes.empty() && !(o.passes.assumptions.empty() && o.passes.feedback.empty()))
    return "--assume and --feedback are for passes: --pass=O2";
  if (o.file == "-" && o.input == "-")
    return "the program and its input cannot both come from standard input";
  auto parsed = parse_schedule(o.deopt, names);
  if (!parsed) return "--deopt: " + parsed.error().message;
  schedule = *std::move(parsed);
  if (std::string problem = add_watch(o, schedule, names); !problem.empty()) return problem;
  if (schedule.mapped)
    return fmt::format("--deopt={} goes through a state map into another program: it belongs to "
                       "`sourir bisim A B --map=FILE`",
                       o.deopt);
  if (schedule.mode == Schedule::Mode::Each || schedule.mode == Schedule::Mode::Pairs)
    return fmt::format("--deopt={} stands for many runs: it belongs to checks that run a program "
                       "many times, such as `sourir bisim`",
                       o.deopt);
  return check_files(o);
}

// Each place in the schedule must be an exit. Returns the error, or nothing.
std::string check_places(Schedule& schedule, const LinkedProgram& program) {
  if (const Result<> resolved = resolve(schedule, program); !resolved)
    return resolved.error().message;
  for (const auto& [code, pc] : schedule.positions) {
    const bool exit =
        pc < code->instrs.size() && (std::holds_alternative<resolved::Assume>(code->instrs[pc]) ||
                                     std::holds_alternative<resolved::Anchor>(code->instrs[pc]));
    if (!exit)
      return fmt::format("at {} stands no assume and no anchor",
                         print(code->place(pc), program.names()));
  }
  return {};
}

// Each name of --why must be one of the program. Returns the error, or nothing.
std::string check_why(const RunOptions& o, const Program& program, const Names& names) {
  for (const std::string& wanted : o.why) {
    const std::string problem = no_such_version(wanted, program, names);
    if (problem.empty()) continue;
    const std::string function = wanted.substr(0, wanted.find('.'));
    const bool known = no_such_version(function, program, names).empty();
    return "--why: " + problem +
           (known ? fmt::format("; --why={} has the versions that the tiers make", function) : "");
  }
  return {};
}

class ProgramRun {
public:
  ProgramRun(const RunOptions& options, const Loaded& loaded, const LinkedProgram& program,
             const Schedule& schedule, const JitSchedule* tiers, Names& names)
      : options_(options), places_(loaded, names), program_(program), schedule_(schedule),
        tiers_(tiers), names_(names), to_stderr_(STDERR_FILENO, "standard error") {
    if (options.engine != "reference") native_.emplace(options, out_, names);
    if (options.why.empty()) return;
    why_.emplace(options.why, program, names);
    if (native_) native_->record_to(*why_);
  }

  int run();

private:
  std::string open_files();
  std::string close_files();
  RunHooks hooks();
  void execute(Config& c, Input& input);
  void classify(const InputLines& lines);
  void report(const EndedRun& ended);
  void report_why();
  void report_events(int exit_code);
  Json why() const;
  int status(const InputLines& lines);
  int replay_status(const InputLines& lines);

  const RunOptions& options_;
  const TextPlaces places_;
  const LinkedProgram& program_;
  const Schedule& schedule_;
  const JitSchedule* tiers_; // null: no replay
  Names& names_;
  Output& out_ = standard_output();
  Output to_stderr_;
  SideFile report_, trace_file_, tier_file_, feedback_file_, event_file_;
  std::string feedback_; // for feedback_file_
  ProfileFiles profile_;
  OpenFile input_;
  std::optional<Tracer> tracer_;
  std::optional<TierReplay> replay_;
  std::optional<ReferenceEvents> events_;
  std::optional<NativeRun> native_;
  std::optional<WhyHistory> why_;
  native::EngineStatistics counts_; // of native_
  bool counts_known_ = true;        // those of events
  std::optional<native::SamplingReport> sampling_;
  Statistics statistics_;
  Outcome outcome_;
  double seconds_ = 0;
};

std::string ProgramRun::open_files() {
  if (std::string problem = report_.open(options_.report); !problem.empty()) return problem;
  if (std::string problem = trace_file_.open(options_.trace_file); !problem.empty()) return problem;
  if (std::string problem = tier_file_.open(options_.tier_file); !problem.empty()) return problem;
  if (std::string problem = feedback_file_.open(options_.feedback_out); !problem.empty())
    return problem;
  if (std::string problem = profile_.open(options_.tiers.profile); !problem.empty()) return problem;
  const std::string& events = options_.tiers.events.output;
  if (std::string problem = event_file_.open(events == "-" ? "" : events); !problem.empty())
    return problem;
  if (native_) native_->write_tiers_to(tier_file_.out());
  if (options_.perf_map)
    if (std::string problem = native_->open_perf_map(); !problem.empty()) return problem;
  if (!options_.trace.empty())
    tracer_.emplace(places_, program_, trace_file_.out() ? *trace_file_.out() : to_stderr_,
                    options_.trace == "json" ? Tracer::Form::JsonLines : Tracer::Form::Text);
  return {};
}

RunHooks ProgramRun::hooks() {
  RunHooks hooks;
  hooks.statistics = &statistics_;
  hooks.interrupt = &stop_requested();
  hooks.print = [this](std::string_view line) {
    if (tracer_) tracer_->printed(line);
    if (replay_) replay_->printed(line);
    out_.write_line(line);
    if (out_.failed()) request_stop();
  };
  if (tracer_ || replay_ || events_)
    hooks.trace = [this](const Config& c, const StepResult& r, const ResolvedVersion* code, Pc pc) {
      if (events_ && !is_growth(*r.rule)) events_->step(r, *code, pc);
      if (tracer_) tracer_->step(c, r, code, pc);
      if (replay_ && !replay_->step(r, *code, pc)) request_stop();
    };
  return hooks;
}

void ProgramRun::execute(Config& c, Input& input) {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (native_) {
      native::EngineRun ran = native_->run(program_, input, schedule_);
      if (feedback_file_.out()) feedback_ = native_->feedback(ran);
      c = std::move(ran.last);
      outcome_ = std::move(ran.outcome);
      counts_ = ran.statistics;
      sampling_ = std::move(ran.sampling);
      counts_known_ =
          ran.left_native_code ? options_.tiers.events.strategy == "direct" : !ran.abandoned;
    } else {
      if (options_.tiers.events.reference)
        events_.emplace(*options_.tiers.events.recording, program_);
      if (tiers_ != nullptr) replay_.emplace(*tiers_, c, names_).begin();
      outcome_ = sourir::run(c, hooks());
      if (replay_) replay_->end(outcome_);
    }
    outcome_.message = cut(std::move(outcome_.message), kLongestMessage);
  } catch (const std::bad_alloc&) { // the configuration may be inconsistent
    c = Config();
    outcome_ = Outcome{.kind = OutcomeKind::Limit, .limit = Limit::Heap};
    outcome_.message = "the machine has no more memory; --max-heap and --max-depth set limits";
  }
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A run without input because of Ctrl-C or an error of reading is interrupted, not stuck.
void ProgramRun::classify(const InputLines& lines) {
  const bool no_input = outcome_.reason == StuckReason::InputExhausted;
  if (no_input && (interrupted() || !lines.problem().empty()))
    outcome_.kind = OutcomeKind::Interrupted;
}

int ProgramRun::status(const InputLines& lines) {
  switch (outcome_.kind) {
  case OutcomeKind::Stop: return exit_code(outcome_.result);
  case OutcomeKind::Stuck: return exit_status::kStuck;
  case OutcomeKind::Limit: return exit_status::kLimit;
  case OutcomeKind::Interrupted: break;
  }
  if (out_.reader_has_gone()) return exit_status::kNobodyReads;
  if (out_.failed()) return exit_status::kUnwritable;
  return lines.problem().empty() ? exit_status::kInterrupted : exit_status::kUnreadable;
}

int ProgramRun::replay_status(const InputLines& lines) {
  if (interrupted() || out_.failed()) return status(lines);
  return replay_->difference().empty() ? exit_status::kFine : exit_status::kFound;
}

void ProgramRun::report(const EndedRun& ended) {
  if (tracer_) {
    tracer_->end(outcome_json_line(ended));
    (trace_file_.out() ? *trace_file_.out() : to_stderr_).flush();
  }
  if (options_.json) out_.write(outcome_json_line(ended));
  const bool stopped_by_us = replay_ && outcome_.kind == OutcomeKind::Interrupted && !interrupted();
  if (outcome_.kind != OutcomeKind::Stop && !out_.failed() && !stopped_by_us)
    say(failure_text(ended, colour_on(STDERR_FILENO)));
  if (!options_.stats.empty())
    say(options_.stats == "json" ? statistics_json(ended) : statistics_text(ended));
  if (why_) report_why();
  if (report_.out()) report_.out()->write(outcome_json(ended));
  if (feedback_file_.out()) feedback_file_.out()->write(feedback_);
  if (sampling_) {
    if (!options_.stats.empty() && options_.stats != "json") say(profile_summary(*sampling_));
    profile_.write(*sampling_, options_.file, native_->advice());
  }
  if (options_.tiers.events.recording) report_events(ended.exit_code);
  const bool in_json = options_.tier_log == "json" || options_.tiers.profile.json;
  if (native_ && !native_->advice().empty() && !in_json)
    say(fmt::format("sourir: {}\n", native_->advice()));
}

void ProgramRun::report_events(int exit_code) {
  const EventProfileOptions& o = options_.tiers.events;
  const std::string text =
      o.json ? json_text(event_report_json(o, options_.file, outcome_, exit_code, counts_known_))
             : event_report(o, options_.file, counts_known_);
  event_file_.out() != nullptr ? event_file_.out()->write(text) : say(text);
}

void ProgramRun::report_why() {
  const WhyRun ran{options_.engine, options_.tiers};
  const bool in_log = options_.tier_log == "json";
  for (const WhyAnswer& answer : why_->answers()) {
    const std::string text = in_log ? why_line(answer, ran) : why_text(answer, ran);
    if (in_log && tier_file_.out() != nullptr)
      tier_file_.out()->write(text);
    else
      say(text);
  }
}

// Null: nobody asked.
Json ProgramRun::why() const {
  if (!why_) return nullptr;
  Json all = Json::array();
  for (const WhyAnswer& answer : why_->answers())
    all.push_back(why_json(answer, {options_.engine, options_.tiers}));
  return all;
}

int ProgramRun::run() {
  if (options_.file != "-" || !options_.input.empty()) {
    auto opened = open_to_read(options_.input.empty() ? "-" : options_.input);
    if (const auto* problem = std::get_if<FileProblem>(&opened)) {
      say_error(problem->message);
      return exit_status::kUnreadable;
    }
    input_ = std::get<OpenFile>(std::move(opened));
  }
  if (const std::string problem = open_files(); !problem.empty()) {
    say_error(problem);
    return exit_status::kUnwritable;
  }
  if (isatty(STDOUT_FILENO) != 0 || (tracer_ && options_.trace_file.empty())) out_.flush_always();
  InputLines lines(std::move(input_), options_.input.empty() ? "standard input" : options_.input,
                   [this] { native_ ? native_->flush() : static_cast<void>(out_.flush()); });
  Input input([&lines] { return lines.next(); }, names_);
  Config c = start(program_, input, schedule_, options_.limits);
  watch_interrupts();
  if (tracer_) tracer_->begin(c);
  try {
    execute(c, input);
  } catch (const native::NoCompiler& problem) {
    say_error(problem.what());
    return exit_status::kUsage;
  }
  out_.flush();
  classify(lines);
  const bool wrong = native_ && !native_->abandoned() && !native_->wrong_versions().empty();
  const bool verified = options_.tiers.verify && native_ && !native_->abandoned();
  int code = wrong ? exit_status::kBug : replay_ ? replay_status(lines) : status(lines);
  if (wrong) say(native_->wrong_versions());
  if (verified && !native_->verifier().undecided().empty()) {
    say(native_->verifier().undecided());
    if (code == exit_status::kFine) code = exit_status::kInconclusive;
  }
  report({places_, c, outcome_, statistics_, seconds_, code, options_.engine,
          native_ ? &counts_ : nullptr, verified ? &native_->verifier().tried() : nullptr, why()});
  if (!lines.problem().empty()) say_error(lines.problem());
  if (replay_) say(replay_->report(options_.json));
  const std::string unwritten = close_files();
  if (!unwritten.empty()) say_error(unwritten);
  const int last = unwritten.empty() ? code : exit_status::kUnwritable;
  if (native_ && native_->abandoned()) NativeRun::exit_abandoned(last);
  return last;
}

// Returns the error of writing, or nothing.
std::string ProgramRun::close_files() {
  for (SideFile* file : {&report_, &trace_file_, &tier_file_, &feedback_file_, &event_file_})
    if (std::string problem = file->close(); !problem.empty()) return problem;
  if (std::string problem = profile_.close(); !problem.empty()) return problem;
  return native_ ? native_->perf_map_problem() : std::string();
}

int reject(const RunOptions& options, const Loaded& loaded) {
  show_problems(loaded);
  const std::string outcome = rejected_json_line(loaded);
  if (options.json) standard_output().write(outcome);
  if (options.report.empty()) return exit_status::kRejected;
  const std::string problem = replace_file(options.report, outcome);
  if (!problem.empty()) say_error(problem);
  return problem.empty() ? exit_status::kRejected : exit_status::kUnwritable;
}

constexpr const char* kRunDetails =
    "Exit status: the program's result (an integer modulo 256, true as 1, anything else 0);\n"
    "64 usage, 65 the program is rejected, 66 a file cannot be read, 67 stuck, 68 a limit is\n"
    "reached, 70 a bug of sourir, 74 the output cannot be written, 130 Ctrl-C. With --verify:\n"
    "70 an optimized version is wrong, 2 instead of 0 one could not be decided. With\n"
    "--jit-schedule: 0 the reference does the same, 1 it does not, 65 the log is no such log.\n\n"
    "Examples:\n"
    "  sourir run program.sou\n"
    "  sourir run program.sou --jit-sync --tiers               what is compiled and deoptimizes\n"
    "  sourir run program.sou --jit-sync --why=sum             why sum is compiled, or is not\n"
    "  sourir run program.sou --jit-sync --tiers=schedule --tiers-file log\n"
    "  sourir run program.sou --engine=reference --jit-schedule log\n"
    "  printf '3\\n\"abc\"\\nnil\\n' | sourir run program.sou     one literal a line\n"
    "  sourir run program.sou --trace --deopt=always          deoptimize at every assume and "
    "anchor\n"
    "  sourir run program.sou --deopt=at:3,f.fast.loop        at the third opportunity, and there\n"
    "  sourir run program.sou --trace --watch=always          watch guards, and leave lazily\n"
    "  sourir run program.sou --fuel 1000000 --stats --report outcome.json\n"
    "  sourir run program.sou --pass=O2 --stats               optimize it first\n";

void add_deopt_flags(std::vector<Flag>& flags, RunOptions& o) {
  add_group(
      flags, "Deoptimization",
      {with_alias(with_schedules(given_once(text_flag(
                                     "--deopt", "SCHEDULE", o.deopt,
                                     "when to take exits that need not be taken: never, always, "
                                     "every:K, p:P:SEED, calls, at:LIST with LIST numbers of "
                                     "opportunities or places F.V.L; or which version calls enter: "
                                     "enter:any:SEED, enter:F.V, enter:K:V at call K")),
                                 false),
                  "--leave"),
       given_once(text_flag("--watch", "WHICH", o.watch,
                            "reference: guards on elements (a[0], or x == 1 after x = a[0]) "
                            "that are watched once they have held, instead of being tested; "
                            "the frame deoptimizes after a call or at the head of a loop once "
                            "the element has changed: always, never, at:LIST with LIST "
                            "places F.V.L"))});
}

} // namespace

int run_run(const RunOptions& given) {
  RunOptions options = given;
  if (!options.trace_file.empty() && options.trace.empty()) options.trace = "text";
  options.json |= options.result == "json";
  if (options.engine.empty())
    options.engine = options.trace.empty() && options.jit_schedule.empty() &&
                             options.watch.empty() && split_watch(options.deopt).second.empty()
                         ? default_engine()
                         : "reference";
  Names names;
  Schedule schedule;
  if (const std::string problem = check_options(options, schedule, names); !problem.empty())
    return usage_error("run", problem);
  std::optional<Loaded> loaded = load_file(options.file, names);
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) return reject(options, *loaded);
  if (!options.passes.passes.empty())
    if (const int status = optimize("run", options.passes, *loaded, names);
        status != exit_status::kFine)
      return status;
  const LinkedProgram program(loaded->program, names);
  if (const Result<> watch = resolve(schedule.watch, program); !watch)
    return usage_error("run", "--watch: " + watch.error().message);
  if (const std::string problem = check_why(options, loaded->program, names); !problem.empty())
    return usage_error("run", problem);
  if (const std::string problem = check_places(schedule, program); !problem.empty())
    return usage_error("run", "--deopt: " + problem);
  if (const std::string problem = load_samples(options.tiers.profile); !problem.empty())
    return say_error(problem), exit_status::kUnreadable;
  std::optional<JitSchedule> tiers;
  if (const int status =
          load_tier_log("run", options.jit_schedule, options.deopt, program, names, tiers);
      status != exit_status::kFine)
    return status;
  return ProgramRun(options, *loaded, program, schedule, tiers ? &*tiers : nullptr, names).run();
}

void add_tier_log_flags(std::vector<Flag>& flags, RunOptions& o) {
  add_group(
      flags, "Tiers",
      {choice_flag("--tiers", Flag::Takes::Optional, {"text", "versions", "json", "schedule"},
                   o.tier_log,
                   "what is compiled, deoptimizes and is invalidated, on standard error; with the "
                   "guard and the values of each exit, and the feedback of each version; versions: "
                   "with the text of optimized versions and the frames of exits; schedule: what "
                   "--jit-schedule takes"),
       text_flag("--tiers-file", "FILE", o.tier_file, "what --tiers says goes there")});
}

Command run_command() {
  const auto o = std::make_shared<RunOptions>();
  Command c{.name = "run", .summary = "Run a program.", .details = kRunDetails};
  add_group(c.flags, "Engine",
            {choice_flag("--engine", Flag::Takes::Value,
                         {"auto", "reference", "baseline", "native"}, o->engine,
                         "what runs it: auto, a bytecode interpreter, and native code for what is "
                         "hot (the default); reference, the semantics step by step (the default "
                         "where a flag needs them); baseline, the interpreter alone; native, code "
                         "for all that fits"),
             switch_flag("--verify", o->tiers.verify,
                         "auto: check each optimized version in lock step, from the state that "
                         "asked for it on, with forced exits; one that differs is not used, exit "
                         "status 70"),
             switch_flag("--perf-map", o->perf_map,
                         "write /tmp/perf-PID.map, from which perf(1) has names for native code")});
  add_group(c.flags, "Input and output",
            {text_flag("--input", "FILE", o->input,
                       "what the program reads, one literal a line (default: standard input; "
                       "nothing if the program itself comes from there)"),
             switch_flag("--json", o->json, "the outcome as JSON, as the last line of the output"),
             text_flag("--report", "FILE", o->report, "outcome and statistics as JSON"),
             choice_flag("--stats", Flag::Takes::Optional, {"text", "json"}, o->stats,
                         "counts of steps, rules, calls, deoptimizations, on standard error"),
             choice_flag("--trace", Flag::Takes::Optional, {"text", "json"}, o->trace,
                         "every step with its rule, on standard error"),
             text_flag("--trace-file", "FILE", o->trace_file, "the trace goes there")});
  c.flags.push_back(choice_flag("--result", Flag::Takes::Value, {"json"}, o->result, ""));
  c.flags.back().hidden = true;
  add_deopt_flags(c.flags, *o);
  add_pass_flags(c.flags, o->passes);
  add_limit_flags(c.flags, o->limits);
  add_group(c.flags, "Limits",
            {bytes_flag("--max-output", o->limits.output, "bytes that it may print (default 1G)")});
  add_tier_log_flags(c.flags, *o);
  add_group(c.flags, "Tiers",
            {list_flag("--why", "F.V", o->why,
                       "what happened to a function (F) or version (F.V), on standard error: calls "
                       "and iterations counted, why it was not compiled, or when and from which "
                       "feedback, why it deoptimized and was invalidated, where it runs now; with "
                       "--report also there, with --tiers=json as JSON; several times"),
             text_flag("--feedback-out", "FILE", o->feedback_out,
                       "auto, baseline: write what was learned (types, branches, call targets, "
                       "samples), for `sourir opt --feedback FILE`"),
             text_flag("--jit-schedule", "FILE", o->jit_schedule,
                       "reference: do what the tiers did by this log of theirs "
                       "(--tiers=schedule), and compare states, output and end")});
  add_tier_flags(c.flags, o->tiers);
  add_profile_flags(c.flags, o->tiers.profile);
  c.run = [o](const std::vector<std::string>& files) { return o->file = files[0], run_run(*o); };
  return c;
}

} // namespace sourir
