// Steps a second of the reference semantics. Each run checks the program's answer; a wrong one is
// an error of the benchmark, not a number.
#include "sourir/semantics/run.h"
#include "sourir/syntax/json/load.h"

#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>

namespace {

using namespace sourir;

// `name` is a path below bench/ without its ending.
std::string text_of(const std::string& name) {
  std::ifstream file(std::string(SOURIR_SOURCE_DIR) + "/bench/" + name + ".sou");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs bench/NAME.sou on the input n; `answer` is the last line that it must print.
void run_program(benchmark::State& state, const std::string& name, std::int64_t n,
                 const std::string& answer) {
  Names names;
  Loaded loaded = load(name + ".sou", text_of(name), names);
  if (loaded.problems.has_errors()) return state.SkipWithError("the program is rejected");
  const LinkedProgram program(loaded.program, names);
  const Schedule never;
  Limits limits;
  limits.depth = 20'000'000;
  std::uint64_t steps = 0;
  for (auto _ : state) {
    Input input({Value(n)}, names);
    Config c = start(program, input, never, limits);
    std::string last;
    RunHooks hooks;
    hooks.print = [&](std::string_view line) { last = line; };
    const Outcome outcome = run(c, hooks);
    if (outcome.kind != OutcomeKind::Stop || last != answer)
      return state.SkipWithError(("wrong answer: " + last + " " + outcome.message).c_str());
    steps += c.steps;
  }
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(run_program, fib_25, "programs/fib", 25, "75025")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, lcg_1000000, "programs/lcg", 1000000, "1263606197")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, collatz_3000, "programs/collatz", 3000, "2919216")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, matmul_60, "programs/matmul", 60, "1295400")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, rsa_20000, "programs/rsa", 20000, "296053")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, arithmetic_loop, "arith_loop", 1000000, "-348902830482123015")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, store_loop_1000000, "store_loop", 1000000, "499999500000")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, deep_recursion_1000000, "deep_recursion", 1000000, "500000500000")
    ->Unit(benchmark::kMillisecond);

} // namespace
