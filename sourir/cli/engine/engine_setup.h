// The options and flags of the tiers for commands that run programs, and the settings of an engine
// that they stand for.
#pragma once

#include "native/engine/engine.h"
#include "sourir/cli/command.h"
#include "sourir/cli/events/event_options.h"
#include "sourir/cli/profile_setup.h"

namespace sourir {

struct TierOptions {
  bool synchronous = false; // --jit-sync
  bool no_speculation = false, no_inlining = false, no_osr_entries = false,
       no_continuations = false, no_watchpoints = false;
  bool stress_osr = false; // --stress-osr
  // delay: milliseconds before the first compilation. A program that ends earlier loses nothing.
  // Loading LLVM costs a program on another processor 2 to 3 ms, a tenth of its time at most.
  std::uint64_t calls = 500, iterations = 5000, exits = 20, invalidations = 12, size = 5'000,
                level = 2, delay = 30, feedback_resets = 3;
  static constexpr std::uint64_t kByEngine = ~std::uint64_t{0};
  std::uint64_t continuations = kByEngine, taken_over = 2'000;
  std::uint64_t contexts = 5, context_samples = 2; // of versions for contexts of calls
  std::string without; // passes that are left out of `passes`, with commas
  std::string passes = "jit-guards", replace = "budget", exit_code = "keep", deoptless = "off",
              forced_exits = "ignore";
  std::string speculate = "all"; // kinds of speculation, see `--tier help`
  ProfileOptions profile;
  EventProfileOptions events; // `profile --events`
  bool verify = false;        // run --verify: each added version is checked
};

void add_tier_flags(std::vector<Flag>& flags, TierOptions& tiers);

// "auto", or "baseline" where the build makes no native code.
std::string default_engine();
// Why this build cannot run that engine or these options of the tiers; empty: it can.
std::string engine_problem(const std::string& engine, const TierOptions& tiers = {});
// `engine`: baseline, native or auto. Precondition: no engine_problem(). `names` must outlive the
// engine.
native::NativeSettings engine_settings(const std::string& engine, const Limits& limits,
                                       const TierOptions& tiers, Names& names);

// Why a run with these options may have compiled nothing, and what to do. `background`: the program
// did not wait for the compiler.
std::string nothing_compiled(const TierOptions& tiers, bool background);

} // namespace sourir
