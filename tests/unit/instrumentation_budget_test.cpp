#include "native/tiering/instrumentation_budget.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using native::InstrumentationBudget;

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(InstrumentationBudget, ExpectsWhatAByteHasTaken) {
  InstrumentationBudget budget;
  budget.add_compiled(1'000, 0.010);
  budget.add_compiled(3'000, 0.030);
  EXPECT_DOUBLE_EQ(budget.expected(2'000, false), 0.020);
  EXPECT_DOUBLE_EQ(budget.expected(2'000, true), 0.004);
}

TEST(InstrumentationBudget, SpendsAPartOfTheTime) {
  InstrumentationBudget budget;
  EXPECT_FALSE(budget.begin(0.012, 0)) << "10 ms and half a percent";
  EXPECT_TRUE(budget.begin(0.012, kSecond));
  EXPECT_FALSE(budget.begin(0.010, 2 * kSecond)) << "what waits counts";
  EXPECT_TRUE(budget.begin(0.010, 3 * kSecond));
}

TEST(InstrumentationBudget, CountsWhatItTookInstead) {
  InstrumentationBudget budget;
  ASSERT_TRUE(budget.begin(0.012, kSecond));
  budget.end(0.012, 0.004);
  EXPECT_TRUE(budget.begin(0.010, kSecond));
  budget.end(0.010, 0.050);
  EXPECT_FALSE(budget.begin(0.001, 8 * kSecond));
  EXPECT_TRUE(budget.begin(0.001, 10 * kSecond));
}

} // namespace
} // namespace sourir::testing
