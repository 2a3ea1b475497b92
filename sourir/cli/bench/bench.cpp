// `sourir bench`: timings of the benchmark programs on engines and in other languages.
#include "sourir/cli/commands.h"

#include "sourir/cli/bench/bench_compare.h"
#include "sourir/cli/bench/bench_iterations.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/process.h"
#include "sourir/os/progress.h"
#include "sourir/os/temporary_folder.h"
#include "sourir/os/terminal.h"
#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

namespace sourir {

namespace {

constexpr const char* kBenchDetails =
    "The folder holds programs.json (names, sizes, answers), programs/NAME.sou and\n"
    "peers/NAME.{c,lua,js}; bench/README.md describes them. Who is not installed is left out.\n"
    "A process is measured from its start to its end; who takes part runs in turn. With\n"
    "--iterations, the time to each answer is, since the one before or the start.\n"
    "Exit status: 0 fine (too long is no failure), 1 a wrong answer or a failure, or slower by\n"
    "--fail-if-slower, 64 usage, 65 --compare or --with names no such results, 66 a file cannot "
    "be\n"
    "read, 74 the output cannot be written, 130 Ctrl-C (what there is is shown).\n\n"
    "Examples:\n"
    "  sourir bench                                          everybody, everything\n"
    "  sourir bench --programs=fib,sieve --engines=gcc,auto --plot=fib.svg\n"
    "  sourir bench --engines=gcc,native --set 'nospec=native --no-speculation' --base=native\n"
    "  sourir bench --iterations=15 --engines=auto,luajit    steady state, and warm-up\n"
    "  sourir bench --size=small --runs=20 --json > small.json\n"
    "  sourir bench --size=small --runs=20 --compare small.json\n"
    "  sourir bench --compare old.json --with new.json --fail-if-slower 5\n";

constexpr std::uint64_t kNotGiven = ~std::uint64_t{0};

struct BenchOptions {
  std::string folder;            // empty: read_bench_folder() searches it
  std::string size = "full";     // tiny, small or full
  std::string programs, engines; // names, separated by commas; empty: all
  std::vector<std::string> sets; // NAME=ENGINE FLAG...: a variant of an engine
  std::string base = "gcc";      // the competitor that ratios are to
  std::string measure = "wall";  // or cpu
  std::uint64_t runs = kNotGiven, warmup = kNotGiven;
  std::uint64_t iterations = 0;             // in one process; 0: a process is one
  std::uint64_t seconds = 60;               // limit of a run, or of an iteration in the mean
  std::string plot;                         // a file for the chart; empty: none
  std::string compare;                      // a file with earlier results; empty: none
  std::string with;                         // a file with the results to compare; empty: measure
  std::uint64_t fail_if_slower = kNotGiven; // percent
  bool json = false;
};

using EndedBy = ProcessResult::Stop;
using CellOutcome = BenchCell::Outcome;
using CompetitorKind = BenchCompetitor::Kind;

constexpr double kSecondsToCompile = 120;

class Benchmark {
public:
  Benchmark(const BenchOptions& options, const BenchFolder& folder, BenchResults& results)
      : options_(options), folder_(folder), results_(results) {}

  // False: the folder for compiled programs cannot be made.
  bool run() {
    if (temporary_.path().empty()) return false;
    for (std::size_t p = 0; p < folder_.programs.size() && !interrupted(); ++p) {
      results_.programs.push_back(folder_.programs[p]);
      results_.cells.emplace_back(results_.competitors.size());
      run_program(p);
    }
    show_progress("");
    return true;
  }

private:
  // All competitors in turn, so that a slow phase of the machine affects all of them; each
  // iteration begins with another one.
  void run_program(std::size_t p) {
    const std::size_t all = results_.competitors.size();
    const std::uint64_t before = options_.iterations > 0 ? 0 : results_.warmup;
    const std::uint64_t rounds = before + results_.runs;
    commands_.assign(all, {});
    for (std::size_t c = 0; c < all; ++c) prepare(p, c);
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < all && !interrupted(); ++i) {
        const std::size_t c = (i + round) % all;
        if (results_.cells[p][c].outcome != CellOutcome::Fine) continue;
        show_progress(fmt::format("{} of {}: {}: run {} of {}: {}", p + 1, folder_.programs.size(),
                                  folder_.programs[p].name, round + 1, rounds,
                                  printable(results_.competitors[c].name)));
        if (options_.iterations > 0)
          iterate(p, c);
        else
          run_once(p, c, round >= before);
      }
    if (isatty(STDERR_FILENO) == 0)
      say(fmt::format("{} of {}: {}\n", p + 1, folder_.programs.size(), folder_.programs[p].name));
  }

  // The words that run the program. Writes and compiles what that needs.
  void prepare(std::size_t p, std::size_t c) {
    const BenchCompetitor& competitor = results_.competitors[c];
    const BenchProgram& program = folder_.programs[p];
    const std::string made = fmt::format("{}/{}-{}", temporary_.path(), program.name, c);
    commands_[c] = command_for(competitor, folder_, program, made);
    std::string source = folder_.source_for(competitor.name, competitor.ending, program);
    if (options_.iterations > 0) {
      if (const auto written = write_iterated(competitor, program, source, made); !written)
        results_.cells[p][c] = {CellOutcome::Failed, written.error().message, {}, {}};
      if (competitor.kind == CompetitorKind::Compiled) {
        source = made + competitor.ending;
        commands_[c] = {made};
      } else if (competitor.kind == CompetitorKind::Interpreted) {
        commands_[c] = {competitor.command[0], made + competitor.ending, source};
      } else {
        commands_[c].back() = made + ".sou";
      }
    }
    if (competitor.kind == CompetitorKind::Compiled) compile(p, c, made, source);
  }

  // What repeats the program in one process.
  Result<> write_iterated(const BenchCompetitor& competitor, const BenchProgram& program,
                          const std::string& source, const std::string& made) const {
    std::string text, ending = competitor.ending;
    if (competitor.kind == CompetitorKind::Engine) {
      auto iterated = iterated_program(folder_.source(program), options_.iterations);
      if (!iterated) return tl::unexpected(iterated.error());
      text = std::move(*iterated);
      ending = ".sou";
    } else {
      std::error_code error;
      text = iteration_driver(ending, std::filesystem::absolute(source, error).string());
    }
    if (std::string problem = replace_file(made + ending, text); !problem.empty())
      return failure("{}", problem);
    return {};
  }

  void compile(std::size_t p, std::size_t c, const std::string& executable,
               const std::string& source) {
    std::vector<std::string> words = results_.competitors[c].command;
    words.push_back(executable);
    words.push_back(source);
    const ProcessResult done = run_bench_process(words, "", kSecondsToCompile);
    if (!done.fine() && done.stop != EndedBy::Interrupted)
      results_.cells[p][c] = {CellOutcome::Failed, "the compiler " + done.how_it_ended(), {}, {}};
  }

  void run_once(std::size_t p, std::size_t c, bool counts) {
    const BenchProgram& program = folder_.programs[p];
    const bool engine = results_.competitors[c].kind == CompetitorKind::Engine;
    const ProcessResult done = run_bench_process(
        commands_[c], engine ? fmt::format("{}\n", program.n) : "", seconds_for_a_run());
    if (done.stop == EndedBy::Interrupted || !ended_well(p, c, done)) return;
    if (answered(p, c, done.output.substr(0, done.output.find_last_not_of("\r\n") + 1)) && counts)
      results_.cells[p][c].samples.push_back({done.wall, done.cpu, done.memory});
  }

  // One process with several iterations.
  void iterate(std::size_t p, std::size_t c) {
    const bool engine = results_.competitors[c].kind == CompetitorKind::Engine;
    IterationsRun run = run_iterations(commands_[c], folder_.programs[p], options_.iterations,
                                       engine, seconds_for_a_run());
    if (run.process.stop == EndedBy::Interrupted) return;
    BenchCell& cell = results_.cells[p][c];
    std::size_t right = 0;
    while (right < run.answers.size() && answered(p, c, run.answers[right])) ++right;
    if (right == run.answers.size() && ended_well(p, c, run.process) && right < options_.iterations)
      cell = {CellOutcome::Failed, "it ended", {}, {}};
    if (cell.outcome != CellOutcome::Fine) {
      if (right == 0) return;
      if (!engine && cell.outcome != CellOutcome::OutOfTime)
        cell.outcome = CellOutcome::NotRepeated;
      cell.detail +=
          fmt::format(" (after {} of {} iterations in one process)", right, options_.iterations);
      return;
    }
    for (BenchSample& sample : run.samples) sample.memory = run.process.memory;
    cell.samples.insert(cell.samples.end(),
                        run.samples.begin() + static_cast<std::ptrdiff_t>(results_.warmup),
                        run.samples.end());
    cell.processes.push_back(std::move(run.samples));
  }

  double seconds_for_a_run() const {
    const std::uint64_t times = std::max<std::uint64_t>(options_.iterations, 1);
    return static_cast<double>(options_.seconds) * static_cast<double>(times);
  }

  bool ended_well(std::size_t p, std::size_t c, const ProcessResult& done) {
    BenchCell& cell = results_.cells[p][c];
    if (done.stop == EndedBy::OutOfTime)
      cell = {CellOutcome::OutOfTime,
              fmt::format("it took more than {} s (--timeout)", seconds_for_a_run()),
              {},
              {}};
    else if (!done.fine())
      cell = {CellOutcome::Failed, "it " + done.how_it_ended(), {}, {}};
    return done.fine();
  }

  bool answered(std::size_t p, std::size_t c, const std::string& found) {
    const std::string& answer = folder_.programs[p].answer;
    const bool engine = results_.competitors[c].kind == CompetitorKind::Engine;
    if (engine ? found == answer : same_answer(found, answer)) return true;
    results_.cells[p][c] = {
        CellOutcome::Wrong,
        fmt::format("it printed {}, right is {}", printable(cut(found, 60)), answer),
        {},
        {}};
    return false;
  }

  const BenchOptions& options_;
  const BenchFolder& folder_;
  BenchResults& results_;
  std::vector<std::vector<std::string>> commands_; // by competitor, of the current program
  TemporaryFolder temporary_;                      // for compiled programs
};

constexpr std::size_t kLargestResults = std::size_t{1} << 28;

// The exit status after an error is reported; 0: `into` is set.
int load_results(const std::string& path, std::optional<MeasuredBench>& into, std::string* text) {
  const auto file = read_file(path, kLargestResults);
  if (const auto* problem = std::get_if<FileProblem>(&file))
    return say_error(problem->message), exit_status::kUnreadable;
  auto read = read_bench(std::get<std::string>(file), path);
  if (!read) return say_error(read.error().message), exit_status::kRejected;
  into = *std::move(read);
  if (text != nullptr) *text = std::get<std::string>(file);
  return exit_status::kFine;
}

// Writes the results, which are `document`, and how they compare. Returns the exit status.
int say_comparison(const BenchOptions& options, const MeasuredBench& old, const MeasuredBench& now,
                   Json document) {
  const BenchComparison comparison = compare_bench(old, now, options.measure == "cpu");
  if (options.json) {
    document["comparison"] = comparison_json(comparison);
    standard_output().write(json_text(document));
  } else {
    standard_output().write(comparison_text(comparison));
  }
  if (options.fail_if_slower == kNotGiven) return exit_status::kFine;
  const std::vector<std::string> slower = slower_by(comparison, options.fail_if_slower);
  for (const std::string& row : slower)
    say_error(fmt::format("more than {} % slower: {}", options.fail_if_slower, row));
  return slower.empty() ? exit_status::kFine : exit_status::kFound;
}

int say_results(const BenchOptions& options, const BenchResults& results,
                const std::optional<MeasuredBench>& old) {
  int compared = exit_status::kFine;
  const Json document = bench_json(results);
  if (!options.json || !old)
    standard_output().write(options.json ? json_text(document) : bench_table(results));
  if (old) {
    if (!options.json) standard_output().write("\n");
    auto now = read_bench(document.dump(), "what was measured");
    if (!now) return say_error(now.error().message), exit_status::kRejected; // a program twice
    now->name.clear();
    compared = say_comparison(options, *old, *now, document);
  }
  if (!options.plot.empty())
    if (const std::string problem = replace_file(options.plot, bench_plot(results));
        !problem.empty()) {
      say_error(problem);
      return exit_status::kUnwritable;
    }
  if (results.interrupted) say("stopped by Ctrl-C: this is what there is\n");
  if (results.failed()) {
    say_error("there are wrong answers or failures");
    return exit_status::kFound;
  }
  return results.interrupted ? exit_status::kInterrupted : compared;
}

// The usage error, or nothing.
std::string check_comparison(const BenchOptions& options) {
  if (options.compare.empty() && !options.with.empty())
    return "--with names results that --compare compares with earlier ones: --compare OLD.json";
  if (options.compare.empty() && options.fail_if_slower != kNotGiven)
    return "--fail-if-slower is about a comparison: --compare OLD.json";
  if (!options.with.empty() && !options.plot.empty())
    return "--plot is about results that are measured, and --with measures nothing";
  return {};
}

// --compare OLD --with NEW: nothing is measured.
int compare_files(const BenchOptions& options, const MeasuredBench& old) {
  std::optional<MeasuredBench> now;
  std::string text;
  if (const int status = load_results(options.with, now, &text); status != exit_status::kFine)
    return status;
  if (old.size != now->size)
    return usage_error("bench", fmt::format("'{}' is of size {}, '{}' of size {}: they have no row "
                                            "in common",
                                            old.name, old.size, now->name, now->size));
  return say_comparison(options, old, *now, Json::parse(text));
}

std::uint64_t warmup_of(const BenchOptions& options) {
  if (options.warmup != kNotGiven) return options.warmup;
  return options.iterations > 0 ? 5 : 1;
}

int run_bench(const BenchOptions& options) {
  if (options.iterations > 0 && options.iterations <= warmup_of(options))
    return usage_error("bench", fmt::format("--iterations={} leaves none that counts after {} to "
                                            "warm up; --warmup is fewer",
                                            options.iterations, warmup_of(options)));
  if (const std::string problem = check_comparison(options); !problem.empty())
    return usage_error("bench", problem);
  std::optional<MeasuredBench> old;
  if (!options.compare.empty()) {
    if (const int status = load_results(options.compare, old, nullptr);
        status != exit_status::kFine)
      return status;
    if (!options.with.empty()) return compare_files(options, *old);
    if (old->size != options.size)
      return usage_error("bench", fmt::format("'{}' is of size {}: it is compared with --size={}",
                                              options.compare, old->size, old->size));
  }
  const auto read =
      read_bench_folder(options.folder, options.size, parts_of_list(options.programs));
  if (!read) {
    say_error(read.error().message);
    return exit_status::kUnreadable;
  }
  const auto& folder = *read;
  watch_interrupts();
  auto found = find_competitors({parts_of_list(options.engines), options.sets, options.size});
  if (interrupted()) return exit_status::kInterrupted;
  if (!found) return usage_error("bench", found.error().message);
  auto& competitors = *found;
  BenchResults results;
  results.size = options.size;
  results.iterations = options.iterations;
  results.runs = options.runs != kNotGiven ? options.runs : options.iterations > 0 ? 1 : 5;
  results.warmup = warmup_of(options);
  results.by_cpu = options.measure == "cpu";
  results.notes = std::move(competitors.notes);
  results.competitors = std::move(competitors.present);
  for (std::size_t c = 0; c < results.competitors.size(); ++c)
    if (results.competitors[c].name == options.base) results.base = c;
  if (!results.base)
    results.notes.push_back("no ratios: " + options.base + " does not take part (--base)");
  if (!Benchmark(options, folder, results).run()) {
    say_error("there is no place for compiled programs: TMPDIR cannot be written");
    return exit_status::kUnwritable;
  }
  results.interrupted = interrupted();
  return say_results(options, results, old);
}

} // namespace

namespace {

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  const auto folder = read_bench_folder({}, "tiny", {});
  if (folder)
    for (const BenchProgram& program : folder->programs) names.push_back(program.name);
  return names;
}

} // namespace

Command bench_command() {
  const auto o = std::make_shared<BenchOptions>();
  Command c{.name = "bench",
            .summary = "Time the benchmark programs on all engines and in other languages.",
            .details = kBenchDetails};
  c.operands = {.name = {}, .least = 0, .most = 0};
  Flag programs =
      text_flag("--programs", "NAMES", o->programs, "names between commas (default: all)");
  programs.more_values = program_names;
  c.flags = {
      std::move(programs),
      choice_flag("--size", Flag::Takes::Value, {"tiny", "small", "full"}, o->size,
                  "how much they have to do (default full)"),
      text_flag(
          "--engines", "NAMES", o->engines,
          "some of reference, baseline, native, auto, gcc, lua5.4, luajit, node, between "
          "commas (default: all; the reference not at full size), or none: only those of --set"),
      list_flag("--set", "SET", o->sets,
                "NAME=ENGINE FLAG...: also an engine with these flags of `sourir run`, under a "
                "name of its own; several times"),
      number_flag("--runs", o->runs, "runs that count (default 5; with --iterations 1)", 1),
      number_flag("--warmup", o->warmup,
                  "runs before that do not (default 1); with --iterations, iterations of each run "
                  "(default 5)"),
      number_flag("--iterations", o->iterations,
                  "each run is a process that executes the program so many times; also shows the "
                  "first iteration by itself",
                  1),
      number_flag(
          "--timeout", o->seconds,
          "seconds that a run may take; with --iterations, so many for each of them (default 60)",
          1),
      text_flag("--base", "NAME", o->base, "whose times the others are divided by (default gcc)"),
      choice_flag("--measure", Flag::Takes::Value, {"wall", "cpu"}, o->measure,
                  "what counts: the time that passes, or that of the processors"),
      text_flag("--dir", "FOLDER", o->folder, "where the programs are (default: bench/)"),
      text_flag("--plot", "FILE", o->plot, "the ratios as a picture (SVG)"),
      text_flag("--compare", "FILE", o->compare,
                "also show how the results differ from earlier ones (of --json): ratios with "
                "95 % intervals"),
      text_flag("--with", "FILE", o->with,
                "--compare: measure nothing, compare these results with the earlier ones"),
      number_flag("--fail-if-slower", o->fail_if_slower,
                  "--compare: exit with 1 if the whole interval of a row, or of a geometric mean, "
                  "is more than so many percent above 1"),
      switch_flag("--json", o->json, "all runs and what follows from them as JSON"),
  };
  c.run = [o](const std::vector<std::string>&) { return run_bench(*o); };
  return c;
}

} // namespace sourir
