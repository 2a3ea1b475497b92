// Entering optimized code by OSR (OSR-in, dissertation 2.7): what is left of an activation
// when it stands at the head of a hot loop, as a function of its own. It can be optimized, inlined
// into and speculated in like any other; its exits go back to the version that it was cut from.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/ast.h"

#include <memory>
#include <optional>

namespace sourir::native {

struct OutlinedLoop {
  std::unique_ptr<Program> program; // with the function
  FunName function;                 // its parameters: what is in scope at the head, in order
  // Its one version has the name of the version that it was cut from, and position 0 goes to the
  // head: what stands at `pc` there stands at `pc + 1` here.
  static constexpr Pc kShift = 1;
};

// Cuts out of a part of `program`, whose functions the new one must not be confused with. Empty: no
// control comes to the head from the start of the version.
std::optional<OutlinedLoop> outline_loop(const Program& program, Program part, FunName function,
                                         VerName version, Pc head, Names& names);

} // namespace sourir::native
