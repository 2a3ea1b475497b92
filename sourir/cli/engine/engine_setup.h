// What commands that run programs fast are told of the tiers, and what that means for an engine.
#pragma once

#include "native/engine/engine.h"
#include "sourir/cli/command.h"
#include "sourir/cli/profile_setup.h"

namespace sourir {

struct TierOptions {
  bool synchronous = false; // --jit-sync
  bool no_speculation = false, no_inlining = false, no_loops = false, no_continuations = false,
       no_watchpoints = false;
  bool every_entry = false; // --stress-osr
  // delay: a program that ends before loses nothing; to load LLVM takes 2 to 3 ms from one that
  // runs on another processor meanwhile, so that what ends just behind it loses a tenth at most.
  std::uint64_t calls = 500, iterations = 5000, exits = 20, invalidations = 12, level = 2,
                delay = 30, feedback_resets = 3;
  static constexpr std::uint64_t kByEngine = ~std::uint64_t{0};
  std::uint64_t continuations = kByEngine;
  std::string passes = "jit", replace = "budget";
  ProfileOptions profile;
  bool verify = false; // each version is checked: run --verify
};

void add_tier_flags(std::vector<Flag>& flags, TierOptions& tiers);

// "auto", or "baseline" where the build makes no native code.
std::string default_engine();
// Why this build cannot run with that engine, or the tiers not so; empty if they can.
std::string engine_problem(const std::string& engine, const TierOptions& tiers = {});
// For baseline, native or auto, without a problem. `names` must outlive the engine.
native::NativeSettings engine_settings(const std::string& engine, const Limits& limits,
                                       const TierOptions& tiers, Names& names);

} // namespace sourir
