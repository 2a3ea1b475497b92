// Which contexts get versions (native/tiering/context_policy.h), on recorded histories of calls.
#include "native/tiering/context_policy.h"

#include "native/tiering/function_contexts.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

constexpr ContextPolicy::Parameters kAll{0xFF};

Context of_types(std::initializer_list<Kind> types) {
  Context context;
  std::size_t i = 0;
  for (const Kind type : types) context.add_types(i++, type);
  return context;
}

Context array_with(Kind elements) {
  Context context = of_types({Kind::Array});
  context.add_elements(0, elements);
  return context;
}

Context int_of(std::int64_t n) {
  Context context = of_types({Kind::Int});
  context.add_equal(0, n);
  return context;
}

Context fun_of(std::uint32_t id) {
  Context context = of_types({Kind::Fun});
  context.add_equal(0, FunName{id});
  return context;
}

struct Calls {
  explicit Calls(ContextOptions options = {}) : policy(options) {}
  void add(const Context& call, int times = 1, std::size_t parameters = 1,
           ContextPolicy::Parameters used = kAll) {
    for (int i = 0; i < times; ++i) policy.add(history, call, parameters, used);
  }
  // Makes what the policy decides.
  std::vector<Context> make() {
    const ContextPolicy::Decision decision = policy.decide(history);
    for (const std::size_t v : decision.evict) history.versions[v].evicted = true;
    for (const Context& context : decision.make) history.versions.push_back({.context = context});
    return decision.make;
  }
  std::size_t live() const {
    return static_cast<std::size_t>(
        std::ranges::count(history.versions, false, &ContextHistory::Version::evicted));
  }

  ContextPolicy policy;
  ContextHistory history;
};

TEST(ContextPolicy, CallsThatAreAlikeAreNotDistinguished) {
  Calls calls;
  calls.add(of_types({Kind::Int}), 100);
  EXPECT_FALSE(calls.policy.differ(calls.history));
  calls.add(of_types({Kind::Float}));
  EXPECT_TRUE(calls.policy.differ(calls.history));
}

TEST(ContextPolicy, NilAndATypeAreAlike) {
  Calls calls;
  calls.add(of_types({Kind::Array}), 5);
  calls.add(of_types({Kind::Nil}), 5);
  EXPECT_FALSE(calls.policy.differ(calls.history));
  calls.add(of_types({Kind::Int}), 5);
  EXPECT_TRUE(calls.policy.differ(calls.history));
}

TEST(ContextPolicy, AMoreGeneralContextWaitsForTheFeedbackOfItsCalls) {
  Calls calls;
  calls.add(of_types({Kind::Array}), 9);
  calls.add(array_with(Kind::Int), 5);
  calls.add(of_types({Kind::Int}), 5);
  EXPECT_TRUE(calls.policy.decide(calls.history).waits);
  EXPECT_EQ(calls.make(), (std::vector{array_with(Kind::Int), of_types({Kind::Int})}));
  EXPECT_TRUE(calls.policy.decide(calls.history).waits);
  calls.history.rest_is_known = true;
  EXPECT_FALSE(calls.policy.decide(calls.history).waits);
  EXPECT_EQ(calls.make(), std::vector{of_types({Kind::Array})});
}

TEST(ContextPolicy, TheMostFrequentContextComesFirst) {
  Calls calls;
  calls.history.rest_is_known = true;
  calls.add(array_with(Kind::Int), 3);
  calls.add(array_with(Kind::Float), 4);
  calls.add(of_types({Kind::Array}), 2);
  calls.add(of_types({Kind::String}), 1); // rare
  EXPECT_EQ(calls.make(),
            (std::vector{array_with(Kind::Float), array_with(Kind::Int), of_types({Kind::Array})}));
  EXPECT_TRUE(calls.make().empty());
  calls.add(of_types({Kind::String}), 1);
  EXPECT_EQ(calls.make(), std::vector{of_types({Kind::String})});
}

TEST(ContextPolicy, AVersionForMoreCallsDoesNotServeACloserContext) {
  Calls calls;
  calls.add(of_types({Kind::Array}), 5);
  calls.add(of_types({Kind::Int}), 5);
  calls.make();
  calls.add(array_with(Kind::Int), 5);
  EXPECT_EQ(calls.make(), std::vector{array_with(Kind::Int)});
}

TEST(ContextPolicy, OneOfManyContextsIsNotFrequent) {
  Calls calls;
  calls.add(of_types({Kind::Int}), 200);
  calls.add(of_types({Kind::Float}), 2);
  EXPECT_EQ(calls.make().size(), 1U);
}

TEST(ContextPolicy, ConstantsThatAllCallsShareAreReliedUponOnce) {
  Calls calls;
  calls.add(int_of(7), 5);
  calls.add(of_types({Kind::Float}), 5);
  EXPECT_EQ(calls.make(), (std::vector{int_of(7), of_types({Kind::Float})}));
  calls.add(int_of(8), 1);
  EXPECT_EQ(calls.make(), std::vector{of_types({Kind::Int})});
  for (int n = 9; n < 50; ++n) calls.add(int_of(n));
  EXPECT_TRUE(calls.make().empty());
}

TEST(ContextPolicy, FewCallsDoNotShowWhatAllShare) {
  Calls calls;
  calls.add(int_of(7), 2);
  calls.add(of_types({Kind::Float}), 2);
  EXPECT_EQ(calls.make(), (std::vector{of_types({Kind::Int}), of_types({Kind::Float})}));
}

TEST(ContextPolicy, LevelsAreCumulative) {
  const auto made = [](unsigned level, const Context& a, const Context& b) {
    Calls calls({.level = level});
    calls.add(a, 5);
    calls.add(b, 5);
    return calls.policy.differ(calls.history) ? calls.make().size() : 0;
  };
  const Context ints = array_with(Kind::Int), floats = array_with(Kind::Float);
  EXPECT_EQ(made(0, of_types({Kind::Int}), of_types({Kind::Float})), 0U);
  EXPECT_EQ(made(1, of_types({Kind::Int}), of_types({Kind::Float})), 2U);
  EXPECT_EQ(made(1, ints, floats), 0U);
  EXPECT_EQ(made(2, ints, floats), 2U);
  EXPECT_EQ(made(4, fun_of(1), fun_of(2)), 0U);
  EXPECT_EQ(made(5, fun_of(1), fun_of(2)), 2U);
}

TEST(ContextPolicy, DistinctArraysFromLevelThreeOn) {
  Context distinct = of_types({Kind::Array, Kind::Array});
  distinct.add_unequal(0, 1);
  for (const unsigned level : {2U, 3U}) {
    Calls calls({.level = level});
    calls.add(distinct, 5, 2);
    calls.add(of_types({Kind::Int, Kind::Int}), 5, 2);
    EXPECT_EQ(calls.make().front().unequal(0, 1), level == 3);
  }
}

TEST(ContextPolicy, ParametersThatDoNotMatter) {
  Calls calls;
  calls.add(of_types({Kind::Int, Kind::Int}), 5, 2, {0b10});
  calls.add(of_types({Kind::Float, Kind::Int}), 5, 2, {0b10});
  EXPECT_FALSE(calls.policy.differ(calls.history));
}

// Functions passed in turn, one hundred of them.
TEST(ContextPolicy, VersionsAreBounded) {
  Calls calls;
  std::size_t made = 0;
  for (int round = 0; round < 50; ++round)
    for (std::uint32_t f = 0; f < 100; ++f) {
      calls.add(fun_of(f), 4);
      made += calls.make().size();
      ASSERT_LE(calls.live(), 15U);
    }
  EXPECT_LE(made, 31U);
  EXPECT_GE(made, 15U);
}

TEST(ContextPolicy, TheVersionForTheFewestCallsGoes) {
  Calls calls({.most_versions = 2});
  calls.add(fun_of(1), 4);
  calls.add(fun_of(2), 4);
  calls.make();
  calls.add(fun_of(1), 1);
  calls.add(fun_of(3), 4);
  const auto decision = calls.policy.decide(calls.history);
  ASSERT_EQ(decision.evict.size(), 1U);
  EXPECT_EQ(calls.history.versions[decision.evict[0]].context, fun_of(2));
  EXPECT_EQ(decision.make, std::vector{fun_of(3)});
}

bool outweighs(const std::string& body) {
  const sourir::testing::Running running("function main()\n  return 0\nfunction f(var a, var n)\n" +
                                         body);
  const FunName f = running.program().source().functions.back().name;
  return outweighs_dispatch(*running.program().function(f)->versions.front());
}

TEST(ContextPolicy, OnlyFunctionsWhoseCallsAllOutweighADispatch) {
  const std::string loop = "L:\n  branch (n > 0) $b $e\n$b:\n  n <- (n - 1)\n  goto L\n$e:\n"
                           "  return a\n";
  EXPECT_TRUE(outweighs(loop));
  EXPECT_TRUE(outweighs("  print a\n" + loop));
  EXPECT_FALSE(outweighs("  branch (a is int) $i $o\n$i:\n  return a\n$o:\n  goto L\n" + loop));
  EXPECT_FALSE(outweighs("  return (a + n)\n"));
  std::string steps;
  for (int i = 0; i < 16; ++i) steps += "  n <- (n + 1)\n";
  EXPECT_TRUE(outweighs(steps + "  return n\n"));
  EXPECT_FALSE(
      outweighs("  branch (n < 0) $l $m\n$l:\n  return n\n$m:\n" + steps + "  return n\n"));
}

} // namespace
} // namespace sourir::native
