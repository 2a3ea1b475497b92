// Coverage of random programs: every rule, every feature of exits. Prints the counts.
#include "sourir/bisim/generate/random_idioms.h"
#include "sourir/syntax/exits.h"
#include "tests/property/runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>

namespace sourir::testing {

namespace {

constexpr std::uint64_t kPrograms = 3'000;
constexpr std::uint32_t kSize = 300;

struct Exercised {
  std::array<std::uint64_t, kRuleCount> rules{};
  std::map<std::string, std::uint64_t> shapes; // what programs contain
  std::map<std::string, std::uint64_t> outcomes;
};

void count_exit(const Metadata& exit, Exercised& done) {
  ++done.shapes["exits"];
  done.shapes["exits with one outer frame"] += exit.outer.size() == 1;
  done.shapes["exits with several outer frames"] += exit.outer.size() > 1;
  done.shapes["exits with a block"] += !exit.with.empty();
  for (const Deferred& d : exit.with)
    done.shapes["stores in blocks"] += std::holds_alternative<ArrayUpdate>(d.instr);
}

void count_shapes(const Program& program, Exercised& done) {
  ++done.shapes["programs"];
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      ++done.shapes["versions"];
      done.shapes["versions with a context"] += !v.when.empty();
      done.shapes["continuations"] += v.cont.has_value();
      done.shapes["instructions"] += v.body.size();
      for (const Stmt& s : v.body) {
        if (const Metadata* const exit = exit_of(s.instr)) count_exit(*exit, done);
      }
    }
}

void count_run(Case& c, std::string_view deopt, Exercised& done) {
  const Ran ran = run(c, c.random.program, deopt);
  for (std::size_t r = 0; r < kRuleCount; ++r) done.rules[r] += ran.statistics.rules[r];
  std::string outcome = "stop";
  if (ran.kind == OutcomeKind::Stuck)
    outcome = std::string("stuck: ") + sourir::name_of(ran.reason);
  else if (!ran.conclusive())
    outcome = "a limit";
  ++done.outcomes[outcome];
}

TEST(Coverage, EveryRuleFires) {
  Exercised done;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    ChoiceSequence choices(seed);
    Case c;
    c.policy = random_policy(choices, kSize);
    c.random = random_case(choices, c.policy, c.names);
    count_shapes(c.random.program, done);
    count_run(c, "never", done);
    count_run(c, c.random.deopt, done);
    put_idioms(c.random.program, c.random.inputs, choices, c.names, IdiomsFor::Watches);
    count_run(c, "watch:always", done);
    count_run(c, "p:0.02:1/watch:always", done);
  }
  std::string table = fmt::format("steps by rule in {} programs:\n", kPrograms);
  for (const RuleRow& row : all_rules())
    table += fmt::format("  {:<14}{:>10}\n", row.name, done.rules[index_of(row)]);
  table += "programs:\n";
  for (const auto& [what, n] : done.shapes) table += fmt::format("  {:<36}{:>10}\n", what, n);
  table += "outcomes of four runs each:\n";
  for (const auto& [what, n] : done.outcomes) table += fmt::format("  {:<36}{:>10}\n", what, n);
  std::cout << table;
  for (const RuleRow& row : all_rules()) EXPECT_GT(done.rules[index_of(row)], 100U) << row.name;
  for (const auto& [what, n] : done.shapes) EXPECT_GT(n, 20U) << what;
}

} // namespace

} // namespace sourir::testing
