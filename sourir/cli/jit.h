// `sourir jit FILE`: what native code is made of
#pragma once

#include "sourir/cli/engine/engine_setup.h"
#include "sourir/cli/pass_setup.h"
#include "sourir/semantics/limits.h"

namespace sourir {

struct JitOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string dump = "asm"; // sourir, llvm, llvm-optimized, asm, exits
  std::string version;      // F.V, or F for all versions of it; empty: all
  PassSetup passes;         // what optimizes the program first, if anything
  bool warm = false;        // of what the tiers make while it runs
  std::string input;        // what it reads then; empty: nothing
  TierOptions tiers;
  Limits limits;
  bool json = false;
};

int run_jit(const JitOptions& options);
Command jit_command();

} // namespace sourir
