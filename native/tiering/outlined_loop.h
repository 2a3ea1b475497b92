// Outlined loops (OSR-in, dissertation 2.7): the rest of an activation from the header of a hot
// loop, or from the target of an exit, as a function of its own. It is optimized like any other;
// its exits lead to the version that it was outlined from.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/ast.h"

#include <memory>
#include <optional>
#include <vector>

namespace sourir::native {

struct OutlinedLoop {
  std::unique_ptr<Program> program; // with the function
  FunName function;                 // its parameters: what is in scope at the head, in order
  // Its one version has the name of the version that it was outlined from; OutlinedFrom says which
  // positions there its positions correspond to.
  std::vector<Pc> copies; // as in OutlinedFrom
};

// The rest of a callee, as a function of the part: of a frame that waits for `result` at the head.
struct OutlinedCallee {
  FunName function;
  std::size_t parameters = 0;
  Var result;
};

// Outlines a loop of `part`, a part of `program`, under a name that no function of either has.
// Position 0 is a goto to the head.
//
// With a callee the rest of its frame runs first: position 0 calls it, position 1 is the goto, and
// the parameters are the callee's, under other names, then what is in scope at the head but for the
// result. Where the loop calls again, two calls declare the result, and the paths from both must
// not join at the head: the positions from the head on are copied for the first, as far as
// variables are in scope that do not stay there. So they are for parameters that a call or an array
// declares again, after a drop. Empty: the head is unreachable, such a variable is declared again
// in the copy, or the version has a context: exits of another function may not lead there.
std::optional<OutlinedLoop> outline_loop(const Program& program, Program part, FunName function,
                                         VerName version, Pc head, Names& names,
                                         const OutlinedCallee* callee = nullptr);

} // namespace sourir::native
