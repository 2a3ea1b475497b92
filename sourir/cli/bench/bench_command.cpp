#include "sourir/cli/bench/bench_command.h"

#include "sourir/cli/bench/bench.h"

#include <memory>

namespace sourir {

namespace {


constexpr const char* kDetails =
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

} // namespace

Command bench_command() {
  const auto o = std::make_shared<BenchOptions>();
  Command c{.name = "bench",
            .summary = "Time the benchmark programs on all engines and in other languages.",
            .details = kDetails};
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
