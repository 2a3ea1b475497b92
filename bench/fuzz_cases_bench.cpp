// Random programs a second on one core (aims: generation under 50 us for 100 instructions, 5,000
// programs a second of the reference against itself).
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/bisim/reference_run.h"
#include "sourir/fuzz/pass_transforms.h"

#include <benchmark/benchmark.h>

namespace {

using namespace sourir;

constexpr std::uint64_t kDifferent = 512; // programs, again and again

Limits limits() {
  Limits l;
  l.fuel = 20'000;
  return l;
}

void rates(benchmark::State& state, std::uint64_t instructions) {
  state.counters["programs/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["instructions"] =
      static_cast<double>(instructions) / static_cast<double>(state.iterations());
}

// All features, about 100 instructions.
void generation(benchmark::State& state) {
  std::uint64_t seed = 0, instructions = 0;
  for (auto _ : state) {
    Names names;
    ChoiceSequence choices(seed++ % kDifferent);
    const RandomCase made = random_case(choices, full_policy(100), names);
    instructions += instructions_of(made.program);
    benchmark::DoNotOptimize(made);
  }
  rates(state, instructions);
}

// As campaigns draw them, with what is put into them.
void cases(benchmark::State& state) {
  std::uint64_t seed = 0, instructions = 0;
  const FuzzPlan plan;
  for (auto _ : state) {
    ChoiceSequence choices(seed++ % kDifferent);
    instructions += instructions_of(make_case(choices, plan)->program);
  }
  rates(state, instructions);
}

// Programs of fuzz cases, linked, run twice and compared; `forced`: the second time with the
// schedule of the case.
void reference_against_reference(benchmark::State& state, bool forced) {
  std::uint64_t seed = 0, instructions = 0;
  const FuzzPlan plan;
  std::vector<std::unique_ptr<FuzzCase>> made;
  for (; seed < kDifferent; ++seed) {
    ChoiceSequence choices(seed);
    made.push_back(make_case(choices, plan));
  }
  for (auto _ : state) {
    FuzzCase& fuzz_case = *made[seed++ % kDifferent];
    const LinkedProgram linked(fuzz_case.program, fuzz_case.names);
    const Schedule never,
        schedule = forced ? *parse_schedule(fuzz_case.deopt, fuzz_case.names) : never;
    const ReferenceRun one =
        reference_run(linked, fuzz_case.inputs, never, limits(), fuzz_case.names);
    const ReferenceRun two =
        reference_run(linked, fuzz_case.inputs, schedule, limits(), fuzz_case.names);
    if (one.events != two.events && !one.at_limit() && !two.at_limit())
      return state.SkipWithError("not the same events");
    instructions += instructions_of(fuzz_case.program);
  }
  rates(state, instructions);
}

// Program, pipeline, lock step of each change, end to end.
void checked_cases(benchmark::State& state, const char* passes) {
  std::uint64_t seed = 0, instructions = 0;
  const FuzzPlan plan = with_transforms({}, std::get<PassTransforms>(pass_transforms(passes)));
  for (auto _ : state) {
    ChoiceSequence choices(seed++ % kDifferent);
    const auto fuzz_case = make_case(choices, plan);
    if (try_case(*fuzz_case, plan).finding) return state.SkipWithError("a finding");
    instructions += instructions_of(fuzz_case->program);
  }
  rates(state, instructions);
}

BENCHMARK(generation)->Unit(benchmark::kMicrosecond);
BENCHMARK(cases)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(reference_against_reference, same, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(reference_against_reference, forced, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(checked_cases, all, "all")->Unit(benchmark::kMicrosecond)->Iterations(kDifferent);
BENCHMARK_CAPTURE(checked_cases, constprop, "constprop")
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(kDifferent);

} // namespace
