// Lines a second of parsing alone and of loading with all checks, by size.
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

namespace {

using namespace sourir;

// A program of about `lines` lines: functions of some 100 lines with loops, arrays, calls and an
// assume each, as the examples have them.
std::string program_of(std::int64_t lines) {
  std::string text = "function main()\n  call r = 'f0(1)\n  print r\n  stop\n";
  for (std::int64_t f = 0, at = 4; at < lines; ++f) {
    const std::string name = "f" + std::to_string(f);
    text += "function " + name + "(var n)\nversion opt\n";
    text += "  assume [(n == 1)] else (" + name + ", base, start)[var n = n]\n  return n\n";
    text += "version base\n>start:\n  var i = 0\n  array a[8]\nloop:\n";
    text += "  branch (i < 8) $body $done\n$body:\n";
    for (int k = 0; k < 40; ++k)
      text += "  var t" + std::to_string(k) + " = (i + " + std::to_string(k) + ")\n  a[i] <- t" +
              std::to_string(k) + "\n  drop t" + std::to_string(k) + "\n";
    text += "  i <- (i + 1)\n  goto loop\n$done:\n  var s = a[0]\n  return s\n";
    at += 135;
  }
  return text;
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void lines_per_second(benchmark::State& state, std::size_t lines) {
  state.counters["lines/s"] =
      benchmark::Counter(static_cast<double>(lines) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void parse_only(benchmark::State& state) {
  const std::string text = program_of(state.range(0));
  const Source source("bench.sou", text);
  for (auto _ : state) {
    Names names;
    Diagnostics problems;
    benchmark::DoNotOptimize(parse(source, names, problems));
    if (!problems.empty()) return state.SkipWithError("the program is rejected");
  }
  lines_per_second(state, count_lines(text));
}
BENCHMARK(parse_only)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void parse_and_check(benchmark::State& state) {
  const std::string text = program_of(state.range(0));
  for (auto _ : state) {
    Names names;
    const Loaded loaded = load("bench.sou", text, names);
    if (loaded.problems.has_errors()) return state.SkipWithError("the program is rejected");
  }
  lines_per_second(state, count_lines(text));
}
BENCHMARK(parse_and_check)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void print_text(benchmark::State& state) {
  Names names;
  const Loaded loaded = load("bench.sou", program_of(state.range(0)), names);
  for (auto _ : state) benchmark::DoNotOptimize(print(loaded.program, names));
  lines_per_second(state, loaded.source.lines());
}
BENCHMARK(print_text)->Arg(100'000)->Unit(benchmark::kMillisecond);

void write_json(benchmark::State& state) {
  Names names;
  const Loaded loaded = load("bench.sou", program_of(state.range(0)), names);
  for (auto _ : state) benchmark::DoNotOptimize(to_json(loaded.program, loaded.spans, names));
  lines_per_second(state, loaded.source.lines());
}
BENCHMARK(write_json)->Arg(100'000)->Unit(benchmark::kMillisecond);

} // namespace
