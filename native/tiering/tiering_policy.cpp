#include "native/tiering/tiering_policy.h"

#include "profiler/settings.h"

#include <algorithm>

namespace sourir::native {

namespace {

// Samples of the arguments before a function is compiled.
constexpr std::uint32_t kArgumentSamples = 8;
constexpr std::uint64_t kQuietSamples = 16; // of as many calls again, before anything is compiled
constexpr std::uint32_t kMostDoublings = 6;

} // namespace

std::uint64_t TieringPolicy::backed_off(const CodeHistory& h, std::uint64_t threshold) const {
  return options_.stress_osr ? threshold : threshold << std::min(h.invalidations, kMostDoublings);
}

TieringPolicy::Entry TieringPolicy::at_loop_header(const CodeHistory& h, bool quiet) const {
  if (h.installed) return Entry::Enter;
  if (h.compiling || quiet) return Entry::Wait;
  return h.iterations >= iterations_needed(h) ? Entry::Compile : Entry::Wait;
}

TieringPolicy::Entry TieringPolicy::at_exit_target(const CodeHistory& h) const {
  if (h.installed) return Entry::Enter;
  if (h.compiling) return Entry::Wait;
  return h.arrivals >= arrivals_needed(h) ? Entry::Compile : Entry::Wait;
}

std::uint64_t TieringPolicy::arrivals_needed(const CodeHistory& h) const {
  return backed_off(h, std::max(options_.exits_until_continuation, 1U));
}

std::uint64_t TieringPolicy::calls_until_first_sample() const {
  return std::max(options_.calls_until_native / kArgumentSamples, 1U);
}

// One sample in two is a call later than the one before it was: where calls of two or three kinds
// take turns, samples a fixed number of calls apart may all be of one kind.
std::uint64_t TieringPolicy::calls_between(const CodeHistory& h) const {
  const std::uint64_t first = calls_until_first_sample();
  return backed_off(h, first) + (first > 1 ? 1 - h.argument_samples % 2 : 0);
}

TieringPolicy::Call TieringPolicy::at_call(const CodeHistory& h, bool quiet,
                                           std::uint64_t calls) const {
  if (!quiet && h.argument_samples % samples_needed() == 0) return {.compile = true};
  const std::uint64_t rarer = quiet ? calls / kQuietSamples : 0;
  return {.compile = false, .next = std::max(calls_between(h), rarer)};
}

std::uint32_t TieringPolicy::samples_needed() const {
  return std::min(kArgumentSamples, std::max(options_.calls_until_native, 1U));
}

// After an invalidation the first sample is taken at the next call.
bool TieringPolicy::rest_is_known(const RestHistory& h) const {
  constexpr std::uint64_t kMostCalls = 64; // for each one that is enough: the others are rare
  constexpr std::uint64_t kMostWaiting = 1 << 20;
  const std::uint64_t enough = calls_until_first_sample();
  return h.others >= enough || h.calls >= kMostCalls * enough || h.waiting >= kMostWaiting;
}

std::uint64_t TieringPolicy::calls_needed(const CodeHistory& h) const {
  const std::uint64_t first = h.invalidations == 0 ? calls_until_first_sample() : 1;
  CodeHistory at = h;
  std::uint64_t calls = first;
  for (at.argument_samples = 1; at.argument_samples < samples_needed(); ++at.argument_samples)
    calls += calls_between(at);
  return calls;
}

bool TieringPolicy::invalidates(const CodeHistory& h, bool of_assume) const {
  if (!speculates(h)) return false;
  const bool too_often = h.exits >= options_.exits_until_invalidated;
  return too_often || (options_.replace_at_first_exit && of_assume);
}

TieringPolicy::Invalidation TieringPolicy::on_invalidation(const CodeHistory& h) const {
  const bool reinstate = h.set_aside && !h.compiling;
  return {.reinstate = reinstate,
          .reset_feedback = !reinstate && h.invalidations < options_.most_feedback_resets};
}

// Catastrophic causes are left to invalidation: what code relied on is wrong for good. Code that
// was never executed, and is reached a second time, has to be compiled with the rest.
TieringPolicy::Dispatch TieringPolicy::at_exit(const ExitHistory& h) const {
  if (!options_.deoptless || h.guard == FailedGuard::Watchpoint) return {};
  if (h.guard == FailedGuard::Unreached && h.exits > 0) return {};
  Dispatch d{.enters = h.wider_by.has_value()};
  d.arrives = !h.wider_by || *h.wider_by >= kMuchWider;
  if (!d.arrives || h.compiling || h.continuations >= options_.most_continuations) return d;
  if (h.failed >= options_.most_failed_continuations) return d;
  const CodeHistory like_code{.invalidations = h.failed};
  const bool forced = h.guard == FailedGuard::None && !options_.forced_exits_count;
  d.compiles =
      h.arrivals >= (forced ? backed_off(like_code, options_.forced_exits_until_continuation)
                            : arrivals_needed(like_code));
  return d;
}

bool TieringPolicy::too_many_taken_over(const CodeHistory& h) const {
  return speculates(h) && h.taken_over >= backed_off(h, options_.exits_taken_over);
}

TieringPolicy::Samples TieringPolicy::on_stale_samples(const CodeHistory& h) const {
  if (h.compiling) return Samples::Wait;
  return h.failed_recompilations >= profiler::Settings::kMostFailedRecompilations
             ? Samples::Ignore
             : Samples::Recompile;
}

} // namespace sourir::native
