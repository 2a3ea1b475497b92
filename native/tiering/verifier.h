// What the tiers want of a checker: whether a version that was just made does what the program
// does, from the state that asked for it on. The native tier may not know the checks
// (ARCHITECTURE.md, the include table): whoever starts an engine hands one in.
#pragma once

#include "native/tiering/optimizer.h"
#include "sourir/semantics/config.h"

#include <functional>
#include <span>

namespace sourir::native {

struct VersionToVerify {
  const LinkedProgram& running;
  const OptimizedVersion& added;
  // What its function is called with; arrays lie in the heap, with what they reach, bounded.
  std::span<const Value> arguments;
  const sourir::Heap& heap;
  Names& names;
};

enum class Verified : std::uint8_t { Holds, Differs, Undecided };

// On a compiler thread, one at a time, while nobody makes names.
using Verifier = std::function<Verified(const VersionToVerify&)>;

} // namespace sourir::native
