// The decisions to compile, invalidate and reinstate code (docs/runtime.md).
//
// Never: touches code, memory or clocks; each decision is a pure function of the options and the
// arguments.
// Threads: any.
#pragma once

#include "native/deopt/deopt_context.h"

#include <cstdint>
#include <optional>

namespace sourir::native {

struct TieringOptions {
  // Calls of a function, and iterations of a loop, until the baseline requests native code.
  std::uint32_t calls_until_native = 500, iterations_until_native = 5000;
  // Exits of the code of one function, loop or continuation until it is invalidated.
  std::uint32_t exits_until_invalidated = 20;
  bool replace_at_first_exit = false; // the first exit of an assume invalidates
  // Exits to a target until a continuation is compiled for it; 0: it is compiled with the code that
  // has the exit.
  std::uint32_t exits_until_continuation = 5;
  // Of one function, loop or continuation; then it is compiled without speculation.
  std::uint32_t most_invalidations = 12;
  // Larger versions stay in the baseline (compiled_size()): compiling takes seconds from there on.
  std::uint32_t most_instructions = 5'000;
  // The first this many invalidations reset the feedback, since the program may be in another
  // phase; later ones keep it, since the phases alternate.
  std::uint32_t most_feedback_resets = 3;
  // No back-off, and loops are polled after each entry: for tests.
  bool stress_osr = false;
  // Exits continue by their context (docs/deoptless.md): the most continuations of one function,
  // and of one class of contexts that may fail; the exits of a code object taken over by
  // continuations until it is invalidated all the same. Such an exit takes 100 ns, but what it
  // enters in the midst of a loop is slower to the end of the activation: so many as cost what a
  // compilation does (5 us each, 10 ms).
  bool deoptless = false;
  std::uint32_t most_continuations = 5, most_failed_continuations = 3;
  std::uint32_t exits_taken_over = 2'000;
  // Exits of one class until a continuation is compiled for it, where the exits were forced: code
  // whose guards hold is not invalidated, and the rest of an iteration in the baseline costs
  // little, so as many as cost what a compilation does (2 us each, 10 ms).
  std::uint32_t forced_exits_until_continuation = 5'000;
  // Forced exits count as those of failing guards do: they invalidate, and continuations for them
  // are compiled as soon. For the dissertation's experiment (5.5).
  bool forced_exits_count = false;
};

// The counts of one function, loop or target of exits.
struct CodeHistory {
  bool installed = false; // there is code for it
  bool compiling = false; // a job is waiting or running, or has failed
  bool set_aside = false; // there is code that a recompilation replaced: it can be reinstated
  // Since the last invalidation:
  std::uint64_t iterations = 0; // of the loop
  std::uint64_t arrivals = 0;   // exits that lead there
  // Calls whose arguments were sampled.
  std::uint64_t argument_samples = 0;
  std::uint64_t exits = 0;         // of the code, since it was installed or reinstated
  std::uint64_t taken_over = 0;    // likewise; continuations of their contexts took them over
  std::uint32_t invalidations = 0; // without those after which code was reinstated
  // Recompilations for samples that were invalidated soon.
  std::uint32_t failed_recompilations = 0;
};

// An exit, and the exits before it with comparable contexts.
struct ExitHistory {
  FailedGuard guard = FailedGuard::None;
  std::uint64_t exits = 0; // before this one
  // Of the installed continuations the first that its context entails: the variables of which that
  // leaves more open (wider_by()); empty: there is none.
  std::optional<std::size_t> wider_by;
  std::uint64_t arrivals = 0;      // with no continuation, or a much wider one, and this one
  bool compiling = false;          // a job is waiting or running
  std::uint32_t continuations = 0; // of the function, compiled or requested
  std::uint32_t failed = 0;        // comparable ones that were invalidated, or could not be made
};

struct RestHistory {
  std::uint64_t waiting = 0; // calls, until those versions had code
  std::uint64_t calls = 0;   // since then
  std::uint64_t others = 0;  // of `calls`: those that no version is for
};

class TieringPolicy {
public:
  explicit TieringPolicy(const TieringOptions& options) : options_(options) {}

  enum class Entry : std::uint8_t {
    Wait,    // continue without code
    Compile, // start a job; continue without code until it is installed
    Enter,   // enter the installed code
  };
  // A loop header, or the target of an exit, is reached. quiet: the program has just started
  // (NativeSettings::quiet_start), so nothing is compiled.
  Entry at_loop_header(const CodeHistory& h, bool quiet) const;
  Entry at_exit_target(const CodeHistory& h) const;

  // Where an exit continues by its context, and whether a (closer) continuation is compiled.
  struct Dispatch {
    bool enters = false;  // the continuation that was found
    bool arrives = false; // counts as an arrival
    bool compiles = false;
  };
  Dispatch at_exit(const ExitHistory& h) const;
  // A continuation is much wider if it leaves open at least this many variables.
  static constexpr std::size_t kMuchWider = 2;
  // Whether exits that continuations took over invalidate the code after all.
  bool too_many_taken_over(const CodeHistory& h) const;

  // A function was called `next` more times, and its arguments were sampled again.
  struct Call {
    bool compile = false;
    std::uint64_t next = 0; // otherwise: calls until the next sample
  };
  // calls: of the function so far. While nothing is compiled yet, samples become rarer with them.
  Call at_call(const CodeHistory& h, bool quiet, std::uint64_t calls = 0) const;

  // A function has versions for the contexts of some calls; whether enough of its other calls have
  // run in the baseline since, so that feedback is theirs.
  bool rest_is_known(const RestHistory& h) const;
  std::uint64_t calls_until_first_sample() const;

  // Events since the last invalidation until code is requested, for reports: calls of a function,
  // iterations of a loop, exits to a target. A program that has just started may need more calls
  // (`quiet`).
  std::uint64_t calls_needed(const CodeHistory& h) const;
  std::uint64_t iterations_needed(const CodeHistory& h) const {
    return backed_off(h, options_.iterations_until_native);
  }
  std::uint64_t arrivals_needed(const CodeHistory& h) const;

  // Whether code that is compiled now uses feedback.
  bool speculates(const CodeHistory& h) const {
    return h.invalidations < options_.most_invalidations;
  }
  // Whether an exit, of an assume or another one, invalidates the code.
  bool invalidates(const CodeHistory& h, bool of_assume) const;
  struct Invalidation {
    bool reinstate = false;      // the code that was set aside is entered again
    bool reset_feedback = false; // of the version that the code is of
  };
  Invalidation on_invalidation(const CodeHistory& h) const;

  enum class Samples : std::uint8_t {
    Wait,      // another job is waiting or running; later samples ask again
    Ignore,    // too many recompilations failed
    Recompile, // with the sampled types
  };
  // The installed code was found stale.
  Samples on_stale_samples(const CodeHistory& h) const;
  // Whether a recompilation for samples has failed: it was invalidated after only `hits` signals
  // interrupted it. max_samples: T2 of the sampler (profiler/sampled_code.h).
  static bool recompilation_failed(std::uint64_t hits, std::uint32_t max_samples) {
    return hits <= max_samples;
  }

private:
  // Exponential back-off: each invalidation doubles the threshold, at most six times.
  std::uint64_t calls_between(const CodeHistory& h) const; // samples, after the last one
  std::uint64_t backed_off(const CodeHistory& h, std::uint64_t threshold) const;
  std::uint32_t samples_needed() const; // of arguments, before a function is compiled

  TieringOptions options_;
};

} // namespace sourir::native
