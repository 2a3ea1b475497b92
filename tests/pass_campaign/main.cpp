// Random fuzz cases of the passes, as `sourir campaign` makes them, in one process.
//
//   pass_campaign [PROGRAMS [SEED [PASSES [FIRST]]]]
//   pass_campaign_mutants PROGRAMS SEED mutants [FIRST [LAST]]
//
// PASSES as in --pass, or `all`. Shows the first failures, made smaller, and what was exercised.
// Exits with 1 if there is a failure. The second form says after how many programs each seeded bug
// is found, at most PROGRAMS, and shows its smallest program if it is only one.
#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/fuzz/pass_transforms.h"
#include "sourir/fuzz/seeded_bugs.h"
#include "sourir/fuzz/shrink_case.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace sourir::testing {
namespace {

constexpr int kShown = 2; // failures of one kind

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t seed_of(std::uint64_t campaign, std::uint64_t index) {
  std::uint64_t state = campaign * 0x9E3779B97F4A7C15U + index;
  return next_random(state);
}

FuzzPlan plan_for(const std::string& passes) {
  auto transforms = pass_transforms(passes);
  if (const auto* error = std::get_if<PipelineError>(&transforms)) {
    fmt::print("{}\n", error->message);
    std::exit(64);
  }
  return with_transforms({}, std::get<PassTransforms>(std::move(transforms)));
}

std::unique_ptr<FuzzCase> small_case(const Finding& finding, std::vector<std::uint32_t> words,
                                     const FuzzPlan& plan) {
  ChoiceSequence small(shrink_case(std::move(words), finding.kind, plan));
  return shrink_case(make_case(small, plan), finding.kind, plan);
}

void show(const Finding& finding, std::uint64_t index, std::vector<std::uint32_t> words,
          const FuzzPlan& plan) {
  const auto fuzz_case = small_case(finding, std::move(words), plan);
  const FuzzResult result = try_case(*fuzz_case, plan);
  fmt::print("# case {}: {}\n# --deopt={}, pipeline:", index, finding.kind, fuzz_case->deopt);
  for (const std::size_t i : fuzz_case->pipeline) fmt::print(" {}", plan.transforms[i].text);
  fmt::print("\n{}{}\n", result.finding ? result.finding->report : "",
             print(fuzz_case->program, fuzz_case->names));
  std::fflush(stdout);
}

int run(std::uint64_t first, std::uint64_t programs, std::uint64_t seed, const FuzzPlan& plan) {
  Counters all;
  std::map<std::string, int> kinds;
  const auto start = Clock::now();
  for (std::uint64_t i = first; i < first + programs; ++i) {
    ChoiceSequence choices(seed_of(seed, i));
    const auto fuzz_case = make_case(choices, plan);
    const FuzzResult result = try_case(*fuzz_case, plan);
    all.add(result.counters);
    if (result.finding && kinds[result.finding->kind]++ < kShown)
      show(*result.finding, i, choices.used(), plan);
  }
  for (const auto& [name, n] : all.all()) {
    fmt::print("{:50} {:12}", name, n);
    if (name.ends_with("/changed")) {
      const std::string tried = name.substr(0, name.rfind('/')) + "/tried";
      fmt::print(" {:5.1f} %", 100.0 * static_cast<double>(n) / static_cast<double>(all.of(tried)));
    }
    fmt::print("\n");
  }
  const double took = seconds_since(start);
  fmt::print("{:.1f} s, {:.0f} a second\n", took, static_cast<double>(programs) / took);
  for (const auto& [kind, n] : kinds) fmt::print("FOUND {:6} {}\n", n, kind);
  return kinds.empty() ? 0 : 1;
}

// Whether it is found.
bool test_mutant(const SeededBug& mutant, std::uint64_t programs, std::uint64_t seed, bool show) {
  select_seeded_bug(mutant.number);
  const FuzzPlan plan = plan_for(std::string(mutant.part));
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < programs; ++i) {
    ChoiceSequence choices(seed_of(seed, i));
    const auto fuzz_case = make_case(choices, plan);
    const FuzzResult result = try_case(*fuzz_case, plan);
    if (!result.finding) continue;
    const double took = seconds_since(start);
    const auto again = Clock::now();
    const auto small = small_case(*result.finding, choices.used(), plan);
    fmt::print("{:3} {:24} {:8} programs {:6.1f} s  {:5.1f} s to {:3} instructions  {}\n",
               mutant.number, mutant.part, i + 1, took, seconds_since(again),
               instructions_of(small->program), result.finding->kind);
    if (show) fmt::print("{}\n", print(small->program, small->names));
    std::fflush(stdout);
    return true;
  }
  fmt::print("{:3} {:24} SURVIVES {:6.1f} s  {}\n", mutant.number, mutant.part,
             seconds_since(start), mutant.idea);
  std::fflush(stdout);
  return false;
}

int test_all_mutants(std::uint64_t programs, std::uint64_t seed, int first, int last, bool show) {
  int survive = 0;
  for (const SeededBug& mutant : seeded_bugs())
    if (mutant.number >= first && mutant.number <= last)
      survive += !test_mutant(mutant, programs, seed, show);
  fmt::print("{} survive\n", survive);
  return survive == 0 ? 0 : 1;
}

} // namespace
} // namespace sourir::testing

int main(int argc, char** argv) {
  using namespace sourir::testing;
  const std::uint64_t programs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string passes = argc > 3 ? argv[3] : "all";
  const int first = argc > 4 ? std::atoi(argv[4]) : 1;
  if (passes != "mutants")
    return run(argc > 4 ? static_cast<std::uint64_t>(first) : 0, programs, seed, plan_for(passes));
  const int last = argc > 5 ? std::atoi(argv[5]) : argc > 4 ? first : 1000;
  return test_all_mutants(programs, seed, first, last, argc == 5);
}
