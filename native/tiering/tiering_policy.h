// The policy that decides whether code is compiled, invalidated or reinstated (docs/runtime.md).
//
// Never: touches code, memory or clocks; each decision is a pure function of the options and the
// history that it is given.
// Threads: any.
#pragma once

#include <cstdint>

namespace sourir::native {

struct TieringOptions {
  // Calls of a function, and iterations of a loop, until the baseline requests native code.
  std::uint32_t calls_until_native = 500, iterations_until_native = 5000;
  // Exits of the code of one function, loop or continuation until it is invalidated.
  std::uint32_t exits_until_invalidated = 20;
  bool replace_at_first_exit = false; // by an exit of an assume, that is
  // Exits that lead to a place until a continuation is compiled for it; 0: it is compiled with the
  // code that has the exit.
  std::uint32_t exits_until_continuation = 5;
  // Of one function, loop or continuation; then it is compiled without speculation.
  std::uint32_t most_invalidations = 12;
  // So many of the first invalidations reset the feedback, since the program may be in another
  // phase now; later ones keep it, since it alternates.
  std::uint32_t most_feedback_resets = 3;
  // Everything is hot at once: for tests, everything is entered that can be.
  bool stress_osr = false;
};

// What was counted of one function, loop or place that exits lead to.
struct CodeHistory {
  bool installed = false; // there is code for it
  bool compiling = false; // a job is under way
  bool set_aside = false; // there is code that a recompilation replaced: it can be reinstated
  // Since the last invalidation:
  std::uint64_t iterations = 0; // of the loop
  std::uint64_t arrivals = 0;   // exits that lead there
  // Samples of the arguments of calls so far.
  std::uint64_t argument_samples = 0;
  std::uint64_t exits = 0;         // of the code, since it was installed or reinstated
  std::uint32_t invalidations = 0; // but for those after which code was reinstated
  // Recompilations because of samples that were soon invalidated.
  std::uint32_t failed_recompilations = 0;
};

class TieringPolicy {
public:
  explicit TieringPolicy(const TieringOptions& options) : options_(options) {}

  enum class Entry : std::uint8_t {
    Wait,    // continue without code
    Compile, // request code; continue without it until it is installed
    Enter,   // enter the code that is installed
  };
  // A loop header, or the place that an exit leads to, is reached. quiet: the program has only just
  // started (NativeSettings::quiet_start), so what ends soon is not slowed down by a compiler.
  Entry at_loop_header(const CodeHistory& h, bool quiet) const;
  Entry at_exit_target(const CodeHistory& h) const;

  // A function is called for the n-th time, n of at least the last `next`; its arguments have been
  // sampled once more.
  struct Call {
    bool compile = false;
    std::uint64_t next = 0; // otherwise: calls until the next sample
  };
  Call at_call(const CodeHistory& h, bool quiet) const;
  std::uint64_t calls_until_first_sample() const;

  // Whether code that is compiled now relies on feedback.
  bool speculates(const CodeHistory& h) const {
    return h.invalidations < options_.most_invalidations;
  }
  // The code has taken an exit, of an assume or another one: whether it is invalidated.
  bool invalidates(const CodeHistory& h, bool of_assume) const;
  struct Invalidation {
    bool reinstate = false;      // the code that was set aside, instead of going on in the baseline
    bool reset_feedback = false; // of the version that the code was for
  };
  Invalidation on_invalidation(const CodeHistory& h) const;

  enum class Samples : std::uint8_t {
    Wait,      // a job is under way for another reason; the samples will say it again
    Ignore,    // too many recompilations failed
    Recompile, // with the sampled types
  };
  // According to samples, the feedback of the installed code is stale.
  Samples on_stale_samples(const CodeHistory& h) const;
  // Whether code recompiled because of samples has failed, being invalidated after so many samples
  // found it running. max_samples: T2 of the sampler (profiler/sampled_code.h).
  static bool recompilation_failed(std::uint64_t hits, std::uint32_t max_samples) {
    return hits <= max_samples;
  }

private:
  // Exponential back-off: each invalidation doubles the threshold, at most six times.
  std::uint64_t backed_off(const CodeHistory& h, std::uint64_t threshold) const;

  TieringOptions options_;
};

} // namespace sourir::native
