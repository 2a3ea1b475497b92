// Deoptimization contexts: a partial order, its joins, and what both mean for states; how the
// feedback is repaired for a continuation.
#include "native/deopt/deopt_context.h"
#include "native/runtime/heap.h"
#include "native/tiering/feedback_repair.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

#include <random>

namespace sourir::native {
namespace {

constexpr std::size_t kVariables = 4;

DeoptTarget target_of(std::size_t n) {
  DeoptTarget target;
  for (Slot i = 0; i < n; ++i) target.variables.push_back({0, i, i != 2});
  return target;
}

// Values of all types, arrays of all storages.
class States {
public:
  States() {
    Array* ints = heap_.allocate(2);
    for (std::uint64_t i = 0; i < 2; ++i) heap_.store(ints, i, Value(std::int64_t{1}));
    Array* floats = heap_.allocate(1);
    heap_.store(floats, 0, Value(0.5));
    Array* filling = heap_.allocate(2);
    heap_.store(filling, 0, Value(std::int64_t{1}));
    all_ = {Value(),        Value(true),      Value(std::int64_t{1}), Value(0.5),
            value_of(ints), value_of(floats), value_of(filling),      value_of(heap_.allocate(0))};
  }
  std::vector<Value> random(std::mt19937& rng) const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < kVariables; ++i) values.push_back(all_[rng() % all_.size()]);
    return values;
  }

private:
  Limits limits_;
  Heap heap_{limits_};
  std::vector<Value> all_;
};

struct Random {
  std::mt19937 rng{20261125};
  States states;
  DeoptTarget targets[2] = {target_of(kVariables), target_of(kVariables)};

  DeoptCause cause() {
    return {static_cast<FailedGuard>(rng() % 3), TypeSet::from_bits(1U << rng() % 3)};
  }
  DeoptContext exact() {
    return context_of(targets[rng() % 8 == 0], cause(), states.random(rng).data());
  }
  // Of several states, so that a type may be open.
  DeoptContext context() { return wider(exact()); }
  DeoptContext wider(DeoptContext c) {
    for (unsigned more = rng() % 4; more > 0; --more)
      if (const DeoptContext d = exact(); comparable(c, d)) c = join(c, d);
    return c;
  }
};

TEST(DeoptContext, EntailmentIsAPartialOrderAndJoinItsLeastUpperBound) {
  Random random;
  unsigned entailed = 0, joined = 0;
  for (int i = 0; i < 100'000; ++i) {
    const DeoptContext a = random.context();
    const DeoptContext b = i % 2 == 0 ? random.context() : random.wider(a);
    const DeoptContext c = i % 3 == 0 ? random.context() : random.wider(b);
    EXPECT_TRUE(entails(a, a));
    if (entails(a, b) && entails(b, c)) {
      EXPECT_TRUE(entails(a, c));
    }
    if (entails(a, b) && entails(b, a)) {
      EXPECT_EQ(a, b);
    }
    if (entails(a, b) && a != b) {
      EXPECT_TRUE(comes_before(a, b));
    }
    if (entails(a, b)) {
      EXPECT_TRUE(comparable(a, b));
    }
    entailed += entails(a, b);
    if (!comparable(a, b)) continue;
    const DeoptContext both = join(a, b);
    EXPECT_TRUE(entails(a, both) && entails(b, both));
    if (entails(a, c) && entails(b, c)) {
      EXPECT_TRUE(entails(both, c));
    }
    joined += both != a && both != b;
  }
  EXPECT_GT(entailed, 100U);
  EXPECT_GT(joined, 100U);
}

TEST(DeoptContext, AdmitsTheStatesWhoseContextEntailsIt) {
  Random random;
  unsigned admitted = 0;
  for (int i = 0; i < 100'000; ++i) {
    const DeoptContext c = random.context();
    const std::vector<Value> values = random.states.random(random.rng);
    const DeoptCause cause = random.cause();
    const bool expected = entails(context_of(*c.target, cause, values.data()), c);
    EXPECT_EQ(admits(c, cause, values.data()), expected);
    admitted += expected;
  }
  EXPECT_GT(admitted, 100U);
}

TEST(DeoptContext, IsComparableOnlyWithTheSameTargetAndKindOfGuard) {
  const DeoptTarget one = target_of(1), other = target_of(1);
  const Value values[] = {Value(std::int64_t{1})};
  const TypeSet f = Kind::Float;
  const DeoptContext c = context_of(one, {FailedGuard::Type, f}, values);
  EXPECT_TRUE(comparable(c, context_of(one, {FailedGuard::Type, Kind::Nil}, values)));
  EXPECT_FALSE(entails(context_of(one, {FailedGuard::Type, Kind::Nil}, values), c));
  EXPECT_FALSE(comparable(c, context_of(other, {FailedGuard::Type, f}, values)));
  EXPECT_FALSE(comparable(c, context_of(one, {FailedGuard::Elements, f}, values)));
}

TEST(DeoptContext, CountsTheVariablesThatAWiderOneLeavesOpen) {
  const DeoptTarget target = target_of(kVariables);
  const std::vector<Value> a(kVariables, Value(0.5)), b(kVariables, Value(true));
  const DeoptContext c = context_of(target, {}, a.data());
  EXPECT_EQ(wider_by(c, c), 0U);
  EXPECT_EQ(wider_by(c, join(c, context_of(target, {}, b.data()))), 3U); // one is not live
}

TEST(DeoptContext, TheCauseIsTheKindOfTheGuardAndTheTypeOfItsValue) {
  using namespace resolved;
  const Value env[] = {Value(0.5), Value(std::int64_t{3})};
  const Operand x{Value(), 0}, y{Value(), 1}, five{Value(std::int64_t{5}), kLiteral};
  const auto op = [](BinaryOp o) { return static_cast<std::uint8_t>(o); };
  EXPECT_EQ(cause_of({Shape::KindTest, 2, x, {}}, env),
            (DeoptCause{FailedGuard::Type, Kind::Float}));
  EXPECT_EQ(cause_of({Shape::ElementsTest, 2, y, {}}, env),
            (DeoptCause{FailedGuard::Elements, Kind::Int}));
  EXPECT_EQ(cause_of({Shape::Binary, op(BinaryOp::Eq), y, five}, env),
            (DeoptCause{FailedGuard::Equality, Kind::Int}));
  EXPECT_EQ(cause_of({Shape::Binary, op(BinaryOp::Lt), y, five}, env),
            (DeoptCause{FailedGuard::Condition, Kind::Int}));
  EXPECT_EQ(cause_of({Shape::Simple, 0, {Value(false), kLiteral}, {}}, env).guard,
            FailedGuard::Unreached);
}

// --- Repaired feedback ---

class FeedbackRepairTest : public ::testing::Test {
protected:
  FeedbackRepairTest() {
    Names& names = running_.names();
    code_ = running_.program().version(names.intern<FunName>("f"), names.intern<VerName>("v"));
    sites_.resize(code_->instrs.size());
    for (SiteFeedback& site : sites_) site.result = Kind::Int;
    sites_[kBranch].taken = 100;
    entry_.types.assign(code_->slots.size(), kAnyType);
    entry_.storages.resize(code_->slots.size());
    entry_.offending.resize(code_->slots.size());
  }
  Slot slot(const char* x) { return *code_->slot_of(running_.names().intern<Var>(x)); }
  std::optional<TypeSet> repair(Pc start) { return repair_feedback(sites_, *code_, start, entry_); }

  static constexpr Pc kLoad = 2, kSum = 3, kIndex = 4, kBranch = 5, kLast = 6;
  testing::Running running_{R"(function main()
  array data = [1, 2]
  call r = 'f(data)
  stop r
function f(var a)
version v
  var s = 0
  var i = 0
  var x = a[i]
  s <- (s + x)
  i <- (i + 1)
  branch (i < 2) $go $done
$go:
  drop x
  goto end
$done:
  drop x
end:
  return s
)"};
  const ResolvedVersion* code_ = nullptr;
  std::vector<SiteFeedback> sites_;
  EntryFacts entry_;
};

TEST_F(FeedbackRepairTest, InjectsTheTypeAndInfersWhatDependsOnIt) {
  entry_.types[slot("x")] = Kind::Float;
  entry_.types[slot("s")] = Kind::Int;
  entry_.offending[slot("x")] = entry_.failed = true;
  // What is returned, for the caller: s as it is where the loop is not entered, and as it becomes.
  EXPECT_EQ(repair(kSum), kNumbers);
  EXPECT_EQ(sites_[kSum].result, TypeSet(Kind::Float)); // int + float
  EXPECT_EQ(sites_[kIndex].result, TypeSet(Kind::Int)); // does not depend on x
  EXPECT_EQ(sites_[kBranch].taken, 100U);
}

TEST_F(FeedbackRepairTest, TheStorageOnEntryReplacesTheRecordedOne) {
  sites_[kLoad].storages = 1U << static_cast<unsigned>(Storage::Int);
  entry_.types[slot("a")] = Kind::Array;
  entry_.storages[slot("a")] = 1U << static_cast<unsigned>(Storage::Float);
  entry_.types[slot("s")] = Kind::Int;
  entry_.offending[slot("a")] = entry_.failed = true;
  repair(kLoad);
  EXPECT_EQ(full_of(sites_[kLoad].storages), Tag::Float);
  EXPECT_EQ(sites_[kLoad].result, TypeSet(Kind::Float));
  EXPECT_EQ(sites_[kSum].result, TypeSet(Kind::Float));
}

TEST_F(FeedbackRepairTest, AddsWhereAContinuationHasFailed) {
  entry_.types[slot("x")] = Kind::Float;
  entry_.types[slot("s")] = Kind::Int;
  entry_.offending[slot("x")] = entry_.failed = entry_.adds = true;
  repair(kSum);
  EXPECT_EQ(sites_[kSum].result, kNumbers);
}

TEST_F(FeedbackRepairTest, RecordsThatContradictTheStateAreStale) {
  entry_.types[slot("s")] = Kind::Float; // recorded: int
  entry_.types[slot("x")] = Kind::Int;
  repair(kSum); // forced: nothing else is
  EXPECT_EQ(sites_[kSum].result, TypeSet(Kind::Float));
  EXPECT_EQ(sites_[kIndex].result, TypeSet(Kind::Int));
}

// A frame that waits for x, and gets another type than was recorded.
TEST_F(FeedbackRepairTest, WhatTheInstructionBeforeTheStartHasBoundIsKnown) {
  entry_.types[slot("x")] = Kind::Float;
  entry_.offending[slot("x")] = entry_.failed = true;
  repair(kSum);
  EXPECT_EQ(sites_[kLoad].result, TypeSet(Kind::Float));
}

TEST_F(FeedbackRepairTest, ABranchThatDependsOnTheOffendingVariableHasNoDirection) {
  entry_.types[slot("i")] = Kind::Int;
  entry_.offending[slot("i")] = entry_.failed = true;
  sites_[kLast].result = {};
  repair(kBranch);
  EXPECT_EQ(sites_[kBranch].taken, 0U);
  EXPECT_EQ(sites_[kLast].result, kAnyType); // and its other side is not unreached
}

TEST_F(FeedbackRepairTest, KeepsWhatDoesNotDependOnAForcedExit) {
  const std::vector<SiteFeedback> before = sites_;
  for (const char* x : {"s", "i", "x"}) entry_.types[slot(x)] = Kind::Int;
  EXPECT_EQ(repair(kLoad), std::nullopt);
  for (Pc pc = 0; pc < sites_.size(); ++pc) EXPECT_EQ(sites_[pc].result, before[pc].result) << pc;
  EXPECT_EQ(sites_[kBranch].taken, 100U);
}

} // namespace
} // namespace sourir::native
