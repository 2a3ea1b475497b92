// Passes on random programs: the result is well-formed and behaves the same, and a second run
// finds nothing more to do (loads: a few more, since what goes brings stores together).
#include "sourir/bisim/random_program.h"
#include "sourir/passes/registry.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/json_form.h"
#include "sourir/syntax/load.h"
#include "sourir/syntax/printer.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

// What can be seen of a run, as text; empty: it took too long.
std::string observed(const Program& program, const RandomCase& random, Names& names) {
  const LinkedProgram linked(program, names);
  Input input(random.inputs, names);
  Schedule schedule = std::get<Schedule>(parse_schedule("never", names));
  Limits limits;
  limits.fuel = 100'000;
  Config c = start(linked, input, schedule, limits);
  std::string seen;
  RunHooks hooks;
  hooks.print = [&](std::string_view line) { seen.append(line).append("\n"); };
  const Outcome outcome = run(c, hooks);
  if (outcome.kind == OutcomeKind::Limit) return {};
  return seen + (outcome.kind == OutcomeKind::Stuck ? name_of(outcome.reason) : "stop");
}

struct Counts {
  int programs = 0, changed = 0;
};

Counts check_pass(std::string_view name, std::uint64_t seeds, int runs = 1) {
  const PassRow* const row = find_pass(name);
  Counts counts;
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    Tape tape(seed);
    Names names;
    Policy policy = random_policy(tape, 20 + seed % 100);
    const bool normal = seed % 4 != 0; // what passes expect; others they must survive
    if (normal) policy.set(Feature::NotNormal, false);
    const RandomCase random = random_case(tape, policy, names);
    const PassOptions options;
    const Feedback feedback;
    Program program = random.program;
    if (seed % 2 == 0) // an active version that may be rewritten
      if (auto copied = find_pass("fresh-version")->run({program, names, options, feedback}))
        program = std::move(copied->program);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(program, names));
    ++counts.programs;
    const auto result = row->run({program, names, options, feedback});
    if (!result) continue;
    ++counts.changed;
    const std::string after = print(result->program, names);
    SCOPED_TRACE(after);
    Names fresh;
    Loaded loaded = load("after.sou", after, fresh);
    EXPECT_FALSE(loaded.problems.has_errors())
        << render(loaded.problems.sorted().front(), loaded.source, false);
    if (loaded.problems.has_errors()) break;
    const std::string before = observed(program, random, names);
    const std::string now = observed(result->program, random, names);
    if (!before.empty() && !now.empty()) {
      EXPECT_EQ(before, now);
    }
    if (!normal) continue;
    auto again = row->run({result->program, names, options, feedback});
    for (int n = 1; again && n < runs; ++n)
      again = row->run({again->program, names, options, feedback});
    EXPECT_FALSE(again) << print(again->program, names);
  }
  return counts;
}

TEST(PassBehaviour, Kinds) { check_pass("kinds", 2000); }
TEST(PassBehaviour, MinLive) { EXPECT_GT(check_pass("min-live", 2000).changed, 600); }
TEST(PassBehaviour, Gvn) { EXPECT_GT(check_pass("gvn", 2000).changed, 15); }
TEST(PassBehaviour, Licm) { EXPECT_GT(check_pass("licm", 2000).changed, 30); }
TEST(PassBehaviour, Loads) { EXPECT_GT(check_pass("loads", 2000, 3).changed, 100); }

} // namespace
} // namespace sourir
