// Type feedback: recording, merging, propagation, resetting, and samples that override it.
#include "native/runtime/feedback_store.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

constexpr TypeSet kInt{Kind::Int}, kFloat{Kind::Float}, kNil{Kind::Nil};

class FeedbackStoreTest : public ::testing::Test {
protected:
  FunName name() { return running_.names().intern<FunName>("f"); }
  const ResolvedVersion& f() { return *running_.program().function(name())->dispatch[0]; }

  testing::Running running_{R"(function main()
  call r = 'f(1)
  stop r
function f(var x)
  var y = (x + 1)
  y <- (y * y)
  return y
)"};
  FeedbackStore store_;
};

TEST_F(FeedbackStoreTest, RecordsStayWhereTheyAre) {
  EXPECT_TRUE(store_.recorded(f()).empty());
  const auto sites = store_.recording(f());
  EXPECT_EQ(sites.size(), f().instrs.size());
  sites[0].result = kInt;
  EXPECT_EQ(store_.recording(f()).data(), sites.data());
  EXPECT_EQ(store_.recorded(f())[0].result, kInt);
}

TEST_F(FeedbackStoreTest, ResultsAndArgumentsAddUp) {
  store_.add_result(f(), 0, Tag::Int);
  store_.add_result(f(), 0, Tag::Float);
  EXPECT_EQ(store_.recorded(f())[0].result, kInt | kFloat);
  EXPECT_TRUE(store_.parameters(name()).empty());
  const Value first[] = {Value(std::int64_t{1})}, second[] = {Value()};
  store_.add_arguments(name(), first);
  store_.add_arguments(name(), second);
  EXPECT_EQ(store_.parameters(name()), std::vector<TypeSet>{kInt | kNil});
}

TEST_F(FeedbackStoreTest, WhatHasNotRunWasNeverReached) {
  const auto sites = store_.merged(f(), {});
  ASSERT_EQ(sites.size(), f().instrs.size());
  EXPECT_EQ(sites[0].result, TypeSet{});
}

TEST_F(FeedbackStoreTest, MergesOwnFeedbackIntoInherited) {
  std::vector<SiteFeedback> inherited(f().instrs.size());
  inherited[0].result = kInt;
  inherited[1].result = kAnyType; // nothing is known of it
  store_.add_result(f(), 0, Tag::Float);
  store_.add_result(f(), 1, Tag::Int);
  const auto sites = store_.merged(f(), inherited);
  EXPECT_EQ(sites[0].result, kInt | kFloat);
  EXPECT_EQ(sites[1].result, kInt);
}

TEST_F(FeedbackStoreTest, BranchesAreKeptWhereNothingIsInherited) {
  store_.recording(f())[1].taken = 7; // a branch has no result
  EXPECT_EQ(store_.merged(f(), {})[1].taken, 7U);
}

TEST_F(FeedbackStoreTest, PropagatesToWhereInstructionsComeFrom) {
  OptimizedVersion version;
  version.streams.push_back(std::make_unique<ResolvedVersion>(f()));
  version.origins.resize(f().instrs.size());
  version.origins[0] = SitePlace{&f(), 1}; // moved up by a pass
  store_.add_result(f(), 1, Tag::Int);
  store_.add_result(version.code(), 0, Tag::Float);
  store_.add_result(version.code(), 1, Tag::Float); // of no origin
  store_.propagate(version);
  EXPECT_EQ(store_.recorded(f())[1].result, kInt | kFloat);
  EXPECT_EQ(store_.recorded(f())[0].result, TypeSet{});
}

TEST_F(FeedbackStoreTest, ResetTellsWhoRecords) {
  std::vector<const ResolvedVersion*> reset;
  store_.on_reset([&](const ResolvedVersion& version) { reset.push_back(&version); });
  store_.reset(f()); // nothing was recorded
  EXPECT_TRUE(reset.empty());
  store_.add_result(f(), 0, Tag::Int);
  const SiteFeedback* const before = store_.recorded(f()).data();
  store_.reset(f());
  EXPECT_EQ(reset, std::vector<const ResolvedVersion*>{&f()});
  EXPECT_EQ(store_.recorded(f())[0].result, TypeSet{});
  EXPECT_EQ(store_.recorded(f()).data(), before);
  const Value argument[] = {Value(std::int64_t{1})};
  store_.add_arguments(name(), argument);
  store_.reset_arguments(name());
  EXPECT_EQ(store_.parameters(name()), std::vector<TypeSet>{TypeSet{}});
}

TEST_F(FeedbackStoreTest, DropsWhatIsReleased) {
  store_.add_result(f(), 0, Tag::Int);
  store_.drop(f());
  EXPECT_TRUE(store_.recorded(f()).empty());
}

void take(profiler::SampledPosition& position, Tag type, std::uint32_t samples) {
  position.counts[static_cast<std::size_t>(type)] = position.taken = samples;
}

TEST_F(FeedbackStoreTest, MinSamplesOverrideWhatWasRecorded) {
  FeedbackSnapshot snapshot;
  snapshot.parameters = {kInt | kFloat};
  auto& sites = snapshot.sites[&f()];
  sites.resize(f().instrs.size());
  sites[0].result = sites[1].result = kInt | kFloat;
  profiler::SampledCode code(0, "f.base#1");
  code.positions.resize(3);
  take(code.positions[0], Tag::Int, 20);
  take(code.positions[1], Tag::Int, 19);
  take(code.positions[2], Tag::Float, 30);
  code.positions[2].parameter = true;
  const SitePlace places[] = {{&f(), 0}, {&f(), 1}, {&f(), 0}};
  snapshot.override_with_samples(code, places, 20);
  EXPECT_EQ(sites[0].result, kInt);
  EXPECT_EQ(sites[1].result, kInt | kFloat); // too few samples
  EXPECT_EQ(snapshot.parameters[0], kFloat);
}

TEST_F(FeedbackStoreTest, SamplesOfCodeStayUntilTheyAreDropped) {
  const SitePlace place{&f(), 0};
  const SampledSite ints{place, false, kInt}, floats{place, false, kFloat},
      arrays{place, true, kFloat};
  store_.add_samples(f(), std::vector{ints, arrays});
  store_.add_samples(f(), std::vector{floats});
  ASSERT_EQ(store_.samples(f()).size(), 2U); // later ones of a place replace earlier ones
  EXPECT_EQ(store_.samples(f())[0].types, kFloat);
  EXPECT_TRUE(store_.samples(f())[1].elements);
  store_.reset(f());
  EXPECT_TRUE(store_.samples(f()).empty());
  store_.add_samples(f(), std::vector{ints});
  store_.drop(f());
  EXPECT_FALSE(store_.has_samples());
}

TEST_F(FeedbackStoreTest, SampledStorageOverridesWhatWasRecorded) {
  constexpr StorageSet kInts = 1U << static_cast<unsigned>(Storage::Int);
  constexpr StorageSet kBoxed = 1U << static_cast<unsigned>(Storage::Mixed);
  EXPECT_EQ(element_types(kInts), kInt);
  EXPECT_EQ(element_types(kInts | kHasRoom), kInt | TypeSet(Kind::Nil));
  FeedbackSnapshot snapshot;
  auto& sites = snapshot.sites[&f()];
  sites.resize(f().instrs.size());
  sites[0].storages = sites[1].storages = kInts | kBoxed;
  profiler::SampledCode code(0, "f.base#1");
  code.positions.resize(2);
  for (profiler::SampledPosition& position : code.positions) position.elements = true;
  take(code.positions[0], Tag::Int, 20);
  take(code.positions[1], Tag::Nil, 20);
  const SitePlace places[] = {{&f(), 0}, {&f(), 1}};
  snapshot.override_with_samples(code, places, 20);
  EXPECT_EQ(sites[0].storages, kInts);
  EXPECT_EQ(sites[1].storages, kBoxed);
  EXPECT_TRUE(sites[0].result.empty());
}

} // namespace
} // namespace sourir::native
