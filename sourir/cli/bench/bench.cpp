// `sourir bench`: timings of the benchmark programs on engines and in other languages.
#include "sourir/cli/commands.h"

#include "sourir/cli/bench/bench_report.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/process.h"
#include "sourir/os/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace sourir {

namespace {

constexpr const char* kBenchDetails =
    "The folder holds programs.json (names, sizes, answers), programs/NAME.sou and\n"
    "peers/NAME.{c,lua,js}; bench/README.md describes them. Who is not installed is left out.\n"
    "A process is measured from its start to its end; who takes part runs in turn.\n"
    "Exit status: 0 fine (too long is no failure), 1 a wrong answer or a failure, 64 usage, 66 a\n"
    "file cannot be read, 74 the output cannot be written, 130 Ctrl-C (what there is is shown).\n\n"
    "Examples:\n"
    "  sourir bench                                          everybody, everything\n"
    "  sourir bench --programs=fib,sieve --engines=gcc,auto --plot=fib.svg\n"
    "  sourir bench --engines=gcc,native --set 'nospec=native --no-speculation' --base=native\n"
    "  sourir bench --size=small --runs=20 --json > small.json\n";

struct BenchOptions {
  std::string folder;            // empty: read_bench_folder() searches it
  std::string size = "full";     // tiny, small or full
  std::string programs, engines; // names, separated by commas; empty: all
  std::vector<std::string> sets; // NAME=ENGINE FLAG...: a variant of an engine
  std::string base = "gcc";      // the competitor that ratios are to
  std::string measure = "wall";  // or cpu
  std::uint64_t runs = 5, warmup = 1;
  std::uint64_t seconds = 60; // limit of a run
  std::string plot;           // a file for the chart; empty: none
  bool json = false;
};

using Stop = ProcessResult::Stop;
using Outcome = BenchCell::Outcome;
using CompetitorKind = BenchCompetitor::Kind;

constexpr double kSecondsToCompile = 120;

// A folder for compiled programs, removed by the destructor.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code error;
    auto place = std::filesystem::temp_directory_path(error);
    if (error) place = "/tmp";
    std::string name = (place / "sourir-bench-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Empty: there is none.
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

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
    progress("");
    return true;
  }

private:
  // All competitors in turn, so that a slow phase of the machine affects all of them; each
  // iteration begins with another one.
  void run_program(std::size_t p) {
    const std::size_t all = results_.competitors.size(), rounds = options_.warmup + options_.runs;
    for (std::size_t c = 0; c < all; ++c)
      if (results_.competitors[c].kind == CompetitorKind::Compiled) compile(p, c);
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < all && !interrupted(); ++i) {
        const std::size_t c = (i + round) % all;
        if (results_.cells[p][c].outcome != Outcome::Fine) continue;
        progress(fmt::format("{} of {}: {}: run {} of {}: {}", p + 1, folder_.programs.size(),
                             folder_.programs[p].name, round + 1, rounds,
                             printable(results_.competitors[c].name)));
        run_once(p, c, round >= options_.warmup);
      }
    if (isatty(STDERR_FILENO) == 0)
      say(fmt::format("{} of {}: {}\n", p + 1, folder_.programs.size(), folder_.programs[p].name));
  }

  std::string executable(std::size_t p, std::size_t c) const {
    return fmt::format("{}/{}-{}", temporary_.path(), folder_.programs[p].name, c);
  }

  void compile(std::size_t p, std::size_t c) {
    const BenchCompetitor& compiler = results_.competitors[c];
    std::vector<std::string> words = compiler.command;
    words.push_back(executable(p, c));
    words.push_back(folder_.source_for(compiler.name, compiler.ending, folder_.programs[p]));
    const ProcessResult done = run_bench_process(words, "", kSecondsToCompile);
    if (!done.fine() && done.stop != Stop::Interrupted)
      results_.cells[p][c] = {Outcome::Failed, "the compiler " + done.how_it_ended(), {}};
  }

  void run_once(std::size_t p, std::size_t c, bool counts) {
    const BenchProgram& program = folder_.programs[p];
    const BenchCompetitor& competitor = results_.competitors[c];
    const bool engine = competitor.kind == CompetitorKind::Engine;
    const ProcessResult done = run_bench_process(
        command_for(competitor, folder_, program, executable(p, c)),
        engine ? fmt::format("{}\n", program.n) : "", static_cast<double>(options_.seconds));
    if (done.stop == Stop::Interrupted) return;
    BenchCell& cell = results_.cells[p][c];
    if (done.stop == Stop::OutOfTime) {
      cell = {Outcome::OutOfTime, fmt::format("it took more than {} s", options_.seconds), {}};
    } else if (!done.fine()) {
      cell = {Outcome::Failed, "it " + done.how_it_ended(), {}};
    } else if (std::string found = done.output.substr(0, done.output.find_last_not_of("\r\n") + 1);
               engine ? found != program.answer : !same_answer(found, program.answer)) {
      cell = {Outcome::Wrong,
              fmt::format("it printed {}, right is {}", printable(cut(found, 60)), program.answer),
              {}};
    } else if (counts) {
      cell.samples.push_back({done.wall, done.cpu, done.memory});
    }
  }

  // The line of progress on a terminal; empty: removes it.
  static void progress(const std::string& text) {
    if (isatty(STDERR_FILENO) != 0) say("\r" + text + "\033[K");
  }

  const BenchOptions& options_;
  const BenchFolder& folder_;
  BenchResults& results_;
  TemporaryFolder temporary_;
};

int say_results(const BenchOptions& options, const BenchResults& results) {
  standard_output().write(options.json ? bench_json(results) : bench_table(results));
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
  return results.interrupted ? exit_status::kInterrupted : exit_status::kFine;
}

int run_bench(const BenchOptions& options) {
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
  results.runs = options.runs;
  results.warmup = options.warmup;
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
  return say_results(options, results);
}

} // namespace

Command bench_command() {
  const auto o = std::make_shared<BenchOptions>();
  Command c{.name = "bench",
            .summary = "Time the benchmark programs on all engines and in other languages.",
            .details = kBenchDetails};
  c.operands = {.name = {}, .least = 0, .most = 0};
  c.flags = {
      text_flag("--programs", "NAMES", o->programs, "names between commas (default: all)"),
      choice_flag("--size", Flag::Takes::Value, {"tiny", "small", "full"}, o->size,
                  "how much they have to do (default full)"),
      text_flag("--engines", "NAMES", o->engines,
                "some of reference, baseline, native, auto, gcc, lua5.4, luajit, node, between "
                "commas (default: all; the reference not at full size)"),
      list_flag("--set", "SET", o->sets,
                "NAME=ENGINE FLAG...: also an engine with these flags of `sourir run`, under a "
                "name of its own; several times"),
      number_flag("--runs", o->runs, "runs that count (default 5)", 1),
      number_flag("--warmup", o->warmup, "runs before that do not (default 1)"),
      number_flag("--timeout", o->seconds, "seconds that a run may take (default 60)", 1),
      text_flag("--base", "NAME", o->base, "whose times the others are divided by (default gcc)"),
      choice_flag("--measure", Flag::Takes::Value, {"wall", "cpu"}, o->measure,
                  "what counts: the time that passes, or that of the processors"),
      text_flag("--dir", "FOLDER", o->folder, "where the programs are (default: bench/)"),
      text_flag("--plot", "FILE", o->plot, "the ratios as a picture (SVG)"),
      switch_flag("--json", o->json, "all runs and what follows from them as JSON"),
  };
  c.run = [o](const std::vector<std::string>&) { return run_bench(*o); };
  return c;
}

} // namespace sourir
