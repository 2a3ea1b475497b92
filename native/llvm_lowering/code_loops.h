// The loops of the code of one version, as far as it is reached.
#pragma once

#include "native/llvm_lowering/kinds.h"

#include <limits>

namespace sourir::native {

using LoopId = std::uint32_t;
inline constexpr LoopId kNoLoop = std::numeric_limits<LoopId>::max();

// Natural loops; those with the same head are one.
struct CodeLoops {
  struct Loop {
    Pc head = 0;
    LoopId parent = kNoLoop; // the innermost one around it
    bool innermost = true;
  };
  std::vector<Loop> loops;
  std::vector<LoopId> innermost; // by position
};

// The time is that of the sizes of the loops, added up.
CodeLoops loops_of(const InstrStream& code, const Kinds& kinds);

} // namespace sourir::native
