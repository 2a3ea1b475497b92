// Campaigns: plans, numbers of cases, cases as text.
#include "sourir/fuzz/campaign_case.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/syntax/text/printer.h"

#include <gtest/gtest.h>

#include <set>

namespace sourir {
namespace {

CampaignPlan small_plan() {
  CampaignPlan plan{.programs = 23, .seed = 5, .batch = 10, .size = 30};
  plan.tool = "test";
  return plan;
}

TEST(Campaign, BatchesCoverAllCasesOnce) {
  for (const std::uint64_t programs : {1, 9, 10, 11, 20, 23}) {
    CampaignPlan plan = small_plan();
    plan.programs = programs;
    std::uint64_t next = 0;
    for (std::uint64_t b = 0; b < plan.batches(); ++b) {
      EXPECT_EQ(plan.first(b), next);
      EXPECT_LT(plan.first(b), plan.end(b));
      next = plan.end(b);
    }
    EXPECT_EQ(next, programs);
  }
}

TEST(Campaign, ShardsAreAPartition) {
  for (std::uint64_t b = 0; b < 50; ++b) {
    int owners = 0;
    for (std::uint64_t k = 1; k <= 7; ++k) owners += Shard{k, 7}.has(b) ? 1 : 0;
    EXPECT_EQ(owners, 1);
  }
  EXPECT_EQ(*parse_shard("3/7"), (Shard{3, 7}));
  for (const char* const wrong : {"", "3", "3/", "/7", "0/7", "8/7", "3/7/9", "-1/3", "a/b"})
    EXPECT_FALSE(parse_shard(wrong).has_value()) << wrong;
}

TEST(Campaign, SeedsOfCasesDiffer) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (std::uint64_t i = 0; i < 1'000; ++i) seeds.insert(case_seed(seed, i));
  EXPECT_EQ(seeds.size(), 30'000U);
}

TEST(Campaign, PlansAreTextAndBack) {
  CampaignPlan plan = small_plan();
  plan.passes = "dce,exec:a\nb";
  plan.under_test = "dce\nexec:a";
  plan.oracles.set(Oracle::States, false);
  plan.engines = "baseline,auto";
  plan.mutant = 7;
  const auto back = read_plan(plan_texts(plan));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, plan);
  EXPECT_EQ(plan_difference(plan, plan), "");
  for (const auto& [name, text] : plan_texts(plan)) {
    PlanTexts less = plan_texts(plan);
    less.erase(name);
    // Plans of older versions know no engines.
    EXPECT_EQ(read_plan(less).has_value(), name == "engines") << name;
  }
  CampaignPlan other = plan;
  other.seed = 6;
  EXPECT_EQ(plan_difference(plan, other), "seed is 5 there and 6 here");
}

TEST(Campaign, CasesDoNotDependOnEachOther) {
  const CampaignConfig campaign = campaign_config(small_plan(), {}, {});
  BatchResult up, down;
  for (std::uint64_t i = 0; i < 23; ++i) try_numbered_case(i, campaign, up);
  for (std::uint64_t i = 23; i-- > 0;) try_numbered_case(i, campaign, down);
  EXPECT_EQ(up.counters, down.counters);
  EXPECT_EQ(up.programs, 23U);
  const CampaignSummary summary{.plan = campaign.plan, .counters = up.counters};
  EXPECT_EQ(summary.programs(), 23U);
}

TEST(Campaign, CasesAsTextAreTheSameCases) {
  const CampaignConfig campaign = campaign_config(small_plan(), {}, {});
  for (std::uint64_t i = 0; i < 23; ++i) {
    std::vector<std::uint32_t> choices;
    const auto made = numbered_case(i, campaign, &choices);
    const ReplayCase replay = replay_case(i, campaign, *made, choices);
    const auto back = case_of(replay, {});
    ASSERT_TRUE(back.has_value()) << back.error().message;
    auto& again = **back;
    EXPECT_EQ(print(again.program, again.names), replay.program);
    EXPECT_EQ(replay_case(i, campaign, again, choices), replay);
    EXPECT_EQ(try_case(again, campaign.fuzz).counters, try_case(*made, campaign.fuzz).counters);
  }
}

TEST(Campaign, LostCasesAreCountedAndSomeAreKept) {
  BatchResult result;
  for (std::uint64_t i = 0; i < 2 * kKeptOfKind; ++i)
    add_lost_case({.index = i,
                   .oracle = "crash",
                   .transform = "dce",
                   .kind = "k",
                   .kept = ReplayCase{.index = i}},
                  result);
  EXPECT_EQ(result.programs, 2 * kKeptOfKind);
  EXPECT_EQ(result.counters.of("outcome/counterexample"), 2 * kKeptOfKind);
  std::uint64_t kept = 0;
  for (const CampaignFinding& f : result.findings) kept += f.kept ? 1 : 0;
  EXPECT_EQ(kept, kKeptOfKind);
}

TEST(Campaign, SummariesSayWhichPassesNeverDidAnything) {
  CampaignSummary summary{.plan = small_plan()};
  summary.plan.under_test = "a/b\ndce\nlicm";
  summary.counters.add("pass/a/b/tried", 4);
  summary.counters.add("pass/a/b/changed", 2);
  summary.counters.add("pass/dce/tried", 4);
  summary.counters.add("pass/sink/changed", 1);
  summary.counters.add("something/else", 3);
  EXPECT_EQ(idle_passes(summary), (std::vector<std::string>{"dce", "licm"}));
  const auto counts = pass_counts(summary);
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[0].pass, "a/b");
  EXPECT_EQ(counts[0].changed, 2U);
  EXPECT_EQ(counts[2].tried, 0U);
  ASSERT_EQ(other_counts(summary.counters).size(), 1U);
  EXPECT_EQ(other_counts(summary.counters)[0].name, "something/else");
}

} // namespace
} // namespace sourir
