// The rules of docs/runtime.md for the tiers, each as a history and the decision that follows.
#include "native/tiering/tiering_policy.h"

#include <gtest/gtest.h>

#include <set>

namespace sourir::native {
namespace {

using Entry = TieringPolicy::Entry;
using Samples = TieringPolicy::Samples;

TieringPolicy policy(TieringOptions options = {}) { return TieringPolicy(options); }

// Code was installed, left through exits until it was invalidated, so often.
CodeHistory invalidated(std::uint32_t times) { return {.invalidations = times}; }

TEST(TieringPolicy, SamplesArgumentsOfEachEighthOfTheThreshold) {
  EXPECT_EQ(policy().calls_until_first_sample(), 62U);
  EXPECT_EQ(policy({.calls_until_native = 3}).calls_until_first_sample(), 1U);
}

TEST(TieringPolicy, CompilesAFunctionAtItsEighthSample) {
  for (std::uint64_t sample = 1; sample < 8; ++sample) {
    const auto call = policy().at_call({.argument_samples = sample}, false);
    EXPECT_FALSE(call.compile) << sample;
    EXPECT_EQ(call.next, sample % 2 == 0 ? 63U : 62U);
  }
  EXPECT_TRUE(policy().at_call({.argument_samples = 8}, false).compile);
  EXPECT_TRUE(policy().at_call({.argument_samples = 16}, false).compile);
}

// Two, three or four kinds of calls in turn: all of them are sampled.
TEST(TieringPolicy, SamplesCallsOfAllKindsThatTakeTurns) {
  for (const std::uint64_t kinds : {2U, 3U, 4U}) {
    std::set<std::uint64_t> sampled;
    CodeHistory h;
    std::uint64_t call = policy().calls_until_first_sample();
    for (h.argument_samples = 1; h.argument_samples <= 8; ++h.argument_samples) {
      sampled.insert(call % kinds);
      call += policy().at_call(h, true).next;
    }
    EXPECT_EQ(sampled.size(), kinds);
  }
}

TEST(TieringPolicy, CompilesAtTheFirstCallWhereTheThresholdIsOne) {
  EXPECT_TRUE(policy({.calls_until_native = 1}).at_call({.argument_samples = 1}, false).compile);
  EXPECT_FALSE(policy({.calls_until_native = 2}).at_call({.argument_samples = 1}, false).compile);
  EXPECT_TRUE(policy({.calls_until_native = 2}).at_call({.argument_samples = 2}, false).compile);
}

// The numbers in reports are those at which the decisions are made.
TEST(TieringPolicy, CompilesAtTheNumberOfCallsThatReportsName) {
  for (const TieringOptions& options :
       {TieringOptions(), TieringOptions{.calls_until_native = 1},
        TieringOptions{.calls_until_native = 5}, TieringOptions{.calls_until_native = 1000}}) {
    for (std::uint32_t times = 0; times < 9; ++times) {
      CodeHistory h = invalidated(times);
      std::uint64_t calls = times == 0 ? policy(options).calls_until_first_sample() : 1;
      for (h.argument_samples = 1; !policy(options).at_call(h, false).compile; ++h.argument_samples)
        calls += policy(options).at_call(h, false).next;
      EXPECT_EQ(policy(options).calls_needed(h), calls) << options.calls_until_native;
    }
  }
}

TEST(TieringPolicy, CompilesAtTheNumberOfIterationsAndExitsThatReportsName) {
  CodeHistory h = invalidated(2);
  h.iterations = policy().iterations_needed(h);
  h.arrivals = policy().arrivals_needed(h);
  EXPECT_EQ(policy().at_loop_header(h, false), Entry::Compile);
  EXPECT_EQ(policy().at_exit_target(h), Entry::Compile);
  --h.iterations, --h.arrivals;
  EXPECT_EQ(policy().at_loop_header(h, false), Entry::Wait);
  EXPECT_EQ(policy().at_exit_target(h), Entry::Wait);
}

TEST(TieringPolicy, CompilesNothingWhileTheProgramHasOnlyJustStarted) {
  EXPECT_FALSE(policy().at_call({.argument_samples = 8}, true).compile);
  // A million calls before anything is compiled take few samples.
  std::uint64_t samples = 0;
  for (std::uint64_t calls = 62; calls < 1'000'000; ++samples)
    calls += policy().at_call({.argument_samples = 8}, true, calls).next;
  EXPECT_LT(samples, 200U);
  EXPECT_EQ(policy().at_loop_header({.iterations = 1'000'000}, true), Entry::Wait);
}

TEST(TieringPolicy, CompilesALoopAfterItsIterations) {
  EXPECT_EQ(policy().at_loop_header({.iterations = 4999}, false), Entry::Wait);
  EXPECT_EQ(policy().at_loop_header({.iterations = 5000}, false), Entry::Compile);
}

TEST(TieringPolicy, EntersWhatIsInstalledAndAsksOnce) {
  EXPECT_EQ(policy().at_loop_header({.installed = true}, true), Entry::Enter);
  EXPECT_EQ(policy().at_loop_header({.compiling = true, .iterations = 9000}, false), Entry::Wait);
  EXPECT_EQ(policy().at_exit_target({.installed = true}), Entry::Enter);
  EXPECT_EQ(policy().at_exit_target({.compiling = true, .arrivals = 9}), Entry::Wait);
}

TEST(TieringPolicy, CompilesAContinuationAtTheFifthExit) {
  EXPECT_EQ(policy().at_exit_target({.arrivals = 4}), Entry::Wait);
  EXPECT_EQ(policy().at_exit_target({.arrivals = 5}), Entry::Compile);
  // Resolved exits have theirs from the start; what is missing still is asked for once.
  EXPECT_EQ(policy({.exits_until_continuation = 0}).at_exit_target({.arrivals = 1}),
            Entry::Compile);
}

TEST(TieringPolicy, InvalidatesAtTheTwentiethExit) {
  EXPECT_FALSE(policy().invalidates({.installed = true, .exits = 19}, true));
  EXPECT_TRUE(policy().invalidates({.installed = true, .exits = 20}, true));
  EXPECT_TRUE(policy().invalidates({.installed = true, .exits = 20}, false));
}

TEST(TieringPolicy, InvalidatesAtTheFirstExitOfAnAssumeWhereThatIsAskedFor) {
  const TieringPolicy first = policy({.replace_at_first_exit = true});
  EXPECT_TRUE(first.invalidates({.installed = true, .exits = 1}, true));
  EXPECT_FALSE(first.invalidates({.installed = true, .exits = 1}, false)); // a bailout
}

TEST(TieringPolicy, EachInvalidationDoublesTheThresholdsAtMostSixTimes) {
  std::uint64_t threshold = 5000;
  for (std::uint32_t n = 0; n <= 6; ++n, threshold *= 2) {
    CodeHistory h = invalidated(n);
    h.iterations = threshold - 1;
    EXPECT_EQ(policy().at_loop_header(h, false), Entry::Wait) << n;
    h.iterations = threshold;
    EXPECT_EQ(policy().at_loop_header(h, false), Entry::Compile) << n;
    h.argument_samples = 1;
    EXPECT_EQ(policy().at_call(h, true).next, std::uint64_t{62} << n);
    h.arrivals = (std::uint64_t{5} << n) - 1;
    EXPECT_EQ(policy().at_exit_target(h), Entry::Wait) << n;
    ++h.arrivals;
    EXPECT_EQ(policy().at_exit_target(h), Entry::Compile) << n;
  }
  CodeHistory seventh = invalidated(7);
  seventh.iterations = 5000 << 6;
  EXPECT_EQ(policy().at_loop_header(seventh, false), Entry::Compile);
}

TEST(TieringPolicy, StressDoesNotBackOff) {
  const TieringPolicy stress = policy({.iterations_until_native = 1, .stress_osr = true});
  CodeHistory h = invalidated(6);
  h.iterations = 1;
  EXPECT_EQ(stress.at_loop_header(h, false), Entry::Compile);
}

TEST(TieringPolicy, TheFirstThreeInvalidationsResetTheFeedback) {
  for (std::uint32_t n = 0; n < 6; ++n) {
    const auto decision = policy().on_invalidation(invalidated(n));
    EXPECT_FALSE(decision.reinstate);
    EXPECT_EQ(decision.reset_feedback, n < 3) << n;
  }
}

TEST(TieringPolicy, AfterTwelveInvalidationsCodeIsCompiledWithoutSpeculationAndStays) {
  EXPECT_TRUE(policy().speculates(invalidated(11)));
  EXPECT_FALSE(policy().speculates(invalidated(12)));
  CodeHistory h = invalidated(12);
  h.exits = 1'000'000;
  EXPECT_FALSE(policy().invalidates(h, true));
  EXPECT_FALSE(policy({.replace_at_first_exit = true}).invalidates(h, true));
}

TEST(TieringPolicy, ReinstatesCodeThatARecompilationReplaced) {
  const auto decision = policy().on_invalidation({.set_aside = true, .exits = 20});
  EXPECT_TRUE(decision.reinstate);
  EXPECT_FALSE(decision.reset_feedback); // the code that comes back was compiled for it
  // A job under way may install other code: the baseline goes on until then.
  const auto compiling = policy().on_invalidation({.compiling = true, .set_aside = true});
  EXPECT_FALSE(compiling.reinstate);
  EXPECT_TRUE(compiling.reset_feedback);
}

TEST(TieringPolicy, StaleSamplesRecompileUntilThreeRecompilationsFailed) {
  EXPECT_EQ(policy().on_stale_samples({.installed = true}), Samples::Recompile);
  EXPECT_EQ(policy().on_stale_samples({.installed = true, .failed_recompilations = 2}),
            Samples::Recompile);
  EXPECT_EQ(policy().on_stale_samples({.installed = true, .failed_recompilations = 3}),
            Samples::Ignore);
  EXPECT_EQ(policy().on_stale_samples({.compiling = true, .failed_recompilations = 3}),
            Samples::Wait);
}

TEST(TieringPolicy, ARecompilationFailsIfItIsInvalidatedWithinT2Samples) {
  EXPECT_TRUE(TieringPolicy::recompilation_failed(200, 200));
  EXPECT_FALSE(TieringPolicy::recompilation_failed(201, 200));
}

// A decision depends on the history alone.
TEST(TieringPolicy, IsPure) {
  const TieringPolicy one = policy();
  const CodeHistory h{.iterations = 5000, .arrivals = 5, .argument_samples = 8, .exits = 20};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.at_loop_header(h, false), Entry::Compile);
    EXPECT_TRUE(one.at_call(h, false).compile);
    EXPECT_TRUE(one.invalidates(h, false));
  }
}

// --- Exits that continue by their context ---

TieringPolicy dispatching(TieringOptions options = {}) {
  options.deoptless = true;
  return TieringPolicy(options);
}

constexpr FailedGuard kType = FailedGuard::Type;

TEST(TieringPolicy, EntersAContinuationThatIsCloseEnough) {
  const auto close = dispatching().at_exit({.guard = FailedGuard::Type, .wider_by = 1});
  EXPECT_TRUE(close.enters);
  EXPECT_FALSE(close.arrives);
  const auto wide =
      dispatching().at_exit({.guard = FailedGuard::Type, .wider_by = 2, .arrivals = 1});
  EXPECT_TRUE(wide.enters);
  EXPECT_TRUE(wide.arrives);
  EXPECT_FALSE(wide.compiles);
  EXPECT_TRUE(dispatching().at_exit({.guard = kType, .wider_by = 2, .arrivals = 5}).compiles);
}

// A history as it was recorded: the decisions for the exits of one class, in turn.
TEST(TieringPolicy, CompilesAContinuationAtTheFifthArrival) {
  for (std::uint64_t n = 1; n < 5; ++n) {
    const auto d =
        dispatching().at_exit({.guard = FailedGuard::Elements, .exits = n - 1, .arrivals = n});
    EXPECT_TRUE(d.arrives && !d.enters && !d.compiles) << n;
  }
  EXPECT_TRUE(dispatching().at_exit({.guard = kType, .exits = 4, .arrivals = 5}).compiles);
  EXPECT_FALSE(dispatching()
                   .at_exit({.guard = kType, .exits = 5, .arrivals = 6, .compiling = true})
                   .compiles);
}

TEST(TieringPolicy, CompilesForForcedExitsWhenTheyCostAsMuch) {
  EXPECT_FALSE(dispatching().at_exit({.arrivals = 4'999}).compiles);
  EXPECT_TRUE(dispatching().at_exit({.arrivals = 5'000}).compiles);
  EXPECT_TRUE(
      dispatching({.forced_exits_until_continuation = 1}).at_exit({.arrivals = 1}).compiles);
}

TEST(TieringPolicy, BacksOffWhereContinuationsFailed) {
  EXPECT_FALSE(dispatching().at_exit({.guard = kType, .arrivals = 9, .failed = 1}).compiles);
  EXPECT_TRUE(dispatching().at_exit({.guard = kType, .arrivals = 10, .failed = 1}).compiles);
  EXPECT_FALSE(
      dispatching().at_exit({.guard = kType, .arrivals = 1'000'000, .failed = 3}).compiles);
}

TEST(TieringPolicy, BoundsTheContinuationsOfAFunction) {
  EXPECT_TRUE(dispatching().at_exit({.guard = kType, .arrivals = 5, .continuations = 4}).compiles);
  EXPECT_FALSE(dispatching().at_exit({.guard = kType, .arrivals = 5, .continuations = 5}).compiles);
}

TEST(TieringPolicy, LeavesCatastrophicCausesToInvalidation) {
  const TieringPolicy first = dispatching({.exits_until_continuation = 1});
  EXPECT_FALSE(first.at_exit({.guard = FailedGuard::Watchpoint, .arrivals = 1}).arrives);
  EXPECT_TRUE(first.at_exit({.guard = FailedGuard::Unreached, .arrivals = 1}).compiles);
  EXPECT_FALSE(first.at_exit({.guard = FailedGuard::Unreached, .exits = 1, .wider_by = 0}).enters);
}

TEST(TieringPolicy, DispatchesNoExitsUnlessAskedTo) {
  EXPECT_FALSE(policy().at_exit({.wider_by = 0, .arrivals = 9}).arrives);
}

TEST(TieringPolicy, TooManyExitsTakenOverCostWhatACompilationDoes) {
  EXPECT_FALSE(policy().too_many_taken_over({.taken_over = 1'999}));
  EXPECT_TRUE(policy().too_many_taken_over({.taken_over = 2'000}));
  EXPECT_FALSE(policy().too_many_taken_over({.taken_over = 2'000, .invalidations = 1}));
  EXPECT_FALSE(
      policy().too_many_taken_over({.taken_over = ~std::uint64_t{0}, .invalidations = 12}));
}

TEST(TieringPolicy, TheRestIsKnownAfterSomeOfItsCalls) {
  const TieringPolicy p = policy({.calls_until_native = 80});
  EXPECT_FALSE(p.rest_is_known({.calls = 100, .others = 9}));
  EXPECT_TRUE(p.rest_is_known({.calls = 100, .others = 10}));
  EXPECT_FALSE(p.rest_is_known({.calls = 639, .others = 1}));
  EXPECT_TRUE(p.rest_is_known({.calls = 640, .others = 1})); // they are rare
  EXPECT_FALSE(p.rest_is_known({.waiting = 100'000}));
  EXPECT_TRUE(p.rest_is_known({.waiting = 1 << 20})); // the compiler has failed
}

} // namespace
} // namespace sourir::native
