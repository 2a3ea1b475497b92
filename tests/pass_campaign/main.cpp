// Random trials of the passes, as `sourir campaign` makes them, in one process.
//
//   pass_campaign [PROGRAMS [SEED [PASSES]]]
//
// PASSES as in --pass, or `all`. Shows the first failures, made smaller, and what was exercised.
// Exits with 1 if there is a failure.
#include "sourir/syntax/printer.h"
#include "sourir/trials/pass_transforms.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace sourir::testing {
namespace {

constexpr int kShown = 2; // failures of one kind

std::uint64_t seed_of(std::uint64_t campaign, std::uint64_t index) {
  std::uint64_t state = campaign * 0x9E3779B97F4A7C15U + index;
  return next_random(state);
}

void show(const Finding& finding, std::uint64_t index, std::vector<std::uint32_t> words,
          const TrialPlan& plan) {
  Tape small(shrink_case(std::move(words), finding.kind, plan));
  const auto trial = make_case(small, plan);
  const TrialResult result = try_case(*trial, plan);
  fmt::print("# case {}: {}\n# --leave={}, pipeline:", index, finding.kind, trial->leave);
  for (const std::size_t i : trial->pipeline) fmt::print(" {}", plan.transforms[i].text);
  fmt::print("\n{}{}\n", result.finding ? result.finding->report : "",
             print(trial->program, trial->names));
}

int run(std::uint64_t programs, std::uint64_t seed, const std::string& passes) {
  auto transforms = pass_transforms(passes);
  if (const auto* error = std::get_if<PipelineError>(&transforms)) {
    fmt::print("{}\n", error->message);
    return 64;
  }
  const TrialPlan plan = with_transforms({}, std::get<PassTransforms>(std::move(transforms)));
  Counters all;
  std::map<std::string, int> kinds;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < programs; ++i) {
    Tape tape(seed_of(seed, i));
    const auto trial = make_case(tape, plan);
    const TrialResult result = try_case(*trial, plan);
    all.add(result.counters);
    if (result.finding && kinds[result.finding->kind]++ < kShown)
      show(*result.finding, i, tape.used(), plan);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  for (const auto& [name, n] : all.all()) fmt::print("{:50} {:12}\n", name, n);
  fmt::print("{:.1f} s, {:.0f} a second\n", took.count(),
             static_cast<double>(programs) / took.count());
  for (const auto& [kind, n] : kinds) fmt::print("FOUND {:6} {}\n", n, kind);
  return kinds.empty() ? 0 : 1;
}

} // namespace
} // namespace sourir::testing

int main(int argc, char** argv) {
  const std::uint64_t programs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return sourir::testing::run(programs, seed, argc > 3 ? argv[3] : "all");
}
