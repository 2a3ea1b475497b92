// Outlined loops, for OSR entries (dissertation 2.7): the rest of an activation at the head of a
// hot loop, as a function of its own, whose parameters are the variables in scope there. Passes
// treat it as any other function; its exits lead to the version that contains the loop.
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
