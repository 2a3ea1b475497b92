// Loops of a resolved version: their heads and bodies.
#pragma once

#include "sourir/semantics/resolved.h"

#include <limits>

namespace sourir {

inline constexpr Pc kNoLoop = std::numeric_limits<Pc>::max();

// A loop is named by its head, where a depth-first walk comes to it first; what has several ways in
// (irreducible) is one as well.
class ResolvedLoops {
public:
  ResolvedLoops() = default;
  // As far as it is `reached` (by position) from `start`. Near-linear: Wei et al., "A new algorithm
  // for identifying loops in decompilation" (SAS 2007), without its recursion.
  ResolvedLoops(const ResolvedVersion& code, Pc start, const std::vector<bool>& reached);

  // The innermost loop that a position lies in; or kNoLoop.
  Pc at(Pc pc) const { return head_[pc] ? pc : around_[pc]; }
  Pc parent(Pc loop) const { return around_[loop]; } // the next one around it; or kNoLoop
  bool lies_in(Pc loop, Pc outer) const;             // or is the same; everything lies in kNoLoop
  // The innermost one that both positions lie in.
  Pc common(Pc a, Pc b) const;

private:
  class Walk;

  // By position: the head of the innermost loop around it that is not its own.
  std::vector<Pc> around_;
  std::vector<bool> head_;
};

} // namespace sourir
