// Strip mining of counted loops: a loop becomes a loop over strips of a fixed number of iterations
// and a loop over the iterations of a strip. What the code does now and then (polls) is done
// between strips, so that the inner loop has the shape of the source: one way out, counted, which
// LLVM unrolls and from which it moves memory accesses.
//
//   head:   branch (i < n) body end         head:     (i < n) ? between : end
//                                           between:  poll; limit = min(n, i + strip)
//                                           strip:    (i < limit) ? body : head
//
// The back edges go to `strip`. (i < limit) implies (i < n), so it does not matter what the body
// does to i; that each strip ends after a while follows from how it changes i.
#pragma once

#include "native/llvm_lowering/type_flow.h"
#include "sourir/semantics/resolved_loops.h"

#include <map>

namespace sourir::native {

inline constexpr std::uint64_t kStrip = 1024;       // iterations of a strip
inline constexpr std::int64_t kShortLoop = 1 << 16; // iterations

// A loop without calls and inner loops whose head is a branch on a comparison of an int that the
// loop only counts up (or down) with an int that it does not change. (What strips save in loops
// with calls or inner loops is less than what they cost: bench/results/sampling.md.)
struct CountedLoop {
  resolved::Operand counter, limit;
  BinaryOp op = BinaryOp::Lt; // an ordering: iterates while (counter op limit)
  std::uint64_t step = 1;     // the most that one assignment changes the counter by
  Pc body = 0, end = 0;       // successors of the head
  // Counts up from literals that are not negative: LLVM does not see that through the strips.
  bool never_negative = false;
  // At most kShortLoop iterations, by literals: no strips are needed.
  bool is_short = false;
};

// By head. Loops with several entries are none. `types` are those of the version.
std::map<Pc, CountedLoop> counted_loops(const CompileRequest& request, const TypeFlow& types,
                                        const ResolvedLoops& loops);

} // namespace sourir::native
