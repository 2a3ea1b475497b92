#include "tests/property/generated.h"

#include "sourir/semantics/history.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

// Determinism and progress: at most one rule applies to a configuration, and if none does, there
// is a reason from the list, or a limit.
void check_rules(const Config &c) {
  std::size_t applying = 0;
  bool explained = false;
  for (const RuleRow &row : rules_for(c.instr().index())) {
    const Derivation d = row.rule(c);
    applying += d ? 1 : 0;
    explained |= d.why != StuckReason::None || d.limit != Limit::None;
  }
  RC_ASSERT(applying <= 1U);
  RC_ASSERT(applying == 1U || explained);
}

RC_GTEST_PROP(Semantics, IsDeterministicAndProgresses, (const Case &c)) {
  Generated g(c, 2'000);
  Config config = g.start(g.made().leave);
  std::string printed;
  StepResult r;
  do {
    check_rules(config);
    r = step(config, printed);
    RC_ASSERT((r.rule != nullptr) ==
              (r.status == StepStatus::Stepped || r.status == StepStatus::Stopped));
  } while (r.status == StepStatus::Stepped);
  RC_ASSERT(r.status != StepStatus::Stuck || r.why != StuckReason::None);
  RC_ASSERT(r.status != StepStatus::AtLimit || r.limit != Limit::None);
}

RC_GTEST_PROP(Semantics, UndoIsTheInverseOfApply, (const Case &c)) {
  Generated g(c, 1'500);
  History h(g.start(g.made().leave));
  std::vector<Config> seen{h.config()};
  const auto remembered = [&] { return seen.size() < 60 || h.steps() % 50 == 0; };
  while (h.forward().status == StepStatus::Stepped)
    if (remembered())
      seen.push_back(h.config());
  const std::string output = h.output();
  const std::uint64_t end = h.steps();
  while (!seen.empty()) {
    while (h.steps() > seen.back().steps)
      RC_ASSERT(h.back());
    RC_ASSERT(same_state(h.config(), seen.back()));
    seen.pop_back();
  }
  RC_ASSERT(!h.back());
  RC_ASSERT(h.output().empty());
  h.go(end);
  RC_ASSERT(h.output() == output);
}

// All schedules of forced exits give the same events: assumption transparency, and that the
// generator makes what it says.
RC_GTEST_PROP(Semantics, ForcedExitsDoNotChangeWhatAProgramDoes, (const Case &c)) {
  Generated g(c);
  const auto plain = g.run("never");
  RC_PRE(plain.outcome.kind != OutcomeKind::Limit);
  for (const std::string &leave :
       {g.made().leave, std::string("always"), std::string("every:2"), std::string("calls"),
        std::string("p:0.3:7")}) {
    const auto forced = g.run(leave);
    if (forced.outcome.kind != OutcomeKind::Limit)
      RC_ASSERT(forced.lines == plain.lines);
  }
}

// As many exits are forced as the schedule asks for.
RC_GTEST_PROP(Semantics, InjectedEqualsObserved, (const Case &c)) {
  Generated g(c);
  RC_ASSERT(g.run("never").statistics.forced == 0U);
  const auto always = g.run("always").statistics;
  RC_ASSERT(always.forced == always.opportunities);
  const auto third = g.run("every:3").statistics;
  RC_ASSERT(third.forced == third.opportunities / 3);
  const auto first = g.run("at:1").statistics;
  RC_ASSERT(first.forced == std::min<std::uint64_t>(1, first.opportunities));
}

RC_GTEST_PROP(Semantics, RunningTwiceGivesTheSame, (const Case &c)) {
  Generated g(c);
  RC_ASSERT(g.run(g.made().leave).lines == g.run(g.made().leave).lines);
}

// Every rule fires on generated programs, so that the laws above speak about all of them.
TEST(Semantics, GeneratedProgramsCoverEveryRule) {
  std::array<std::uint64_t, kRuleCount> fired{};
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Generated g(Case{words_of(seed)});
    for (const char *leave : {"never", "every:2"}) {
      const auto counts = g.run(leave).statistics.rules;
      for (std::size_t i = 0; i < fired.size(); ++i)
        fired[i] += counts[i];
    }
  }
  for (const RuleRow &row : all_rules()) {
    RecordProperty(std::string(row.name), static_cast<int>(fired[index_of(row)] % 1'000'000'000));
    EXPECT_GT(fired[index_of(row)], 0U) << row.name << " never fired";
  }
  EXPECT_EQ(all_rules().size(), kRuleCount);
}

} // namespace
} // namespace sourir::testing
