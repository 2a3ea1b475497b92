// The loops of a resolved version, irreducible ones included, as a forest by position.
#pragma once

#include "sourir/semantics/resolved.h"

#include <limits>

namespace sourir {

inline constexpr Pc kNoLoop = std::numeric_limits<Pc>::max();

// A loop is identified by its head, the position at which a depth-first walk first enters it;
// cycles with several entries (irreducible) are loops, too.
class ResolvedLoops {
public:
  ResolvedLoops() = default;
  // Loops of the positions that are `reached` (by position) from `start`. Near-linear: Wei et al.,
  // "A new algorithm for identifying loops in decompilation" (SAS 2007), without recursion.
  ResolvedLoops(const ResolvedVersion& code, Pc start, const std::vector<bool>& reached);

  // The innermost loop that contains a position; kNoLoop: none.
  Pc at(Pc pc) const { return head_[pc] ? pc : around_[pc]; }
  Pc parent(Pc loop) const { return around_[loop]; } // the next outer one; or kNoLoop
  bool lies_in(Pc loop, Pc outer) const;             // or is equal; all lie in kNoLoop
  // The innermost loop that contains both positions; kNoLoop: none.
  Pc common(Pc a, Pc b) const;

private:
  class Walk;

  // By position: the head of the innermost loop that contains it and that it is not the head of.
  std::vector<Pc> around_;
  std::vector<bool> head_;
};

} // namespace sourir
