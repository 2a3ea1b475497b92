// The successors of an instruction inside its version, and its effect on the scope.
#pragma once

#include "sourir/syntax/ast.h"

namespace sourir {

struct Successors {
  bool next = false;                               // the next position
  const Label *first = nullptr, *second = nullptr; // labels that it jumps to
};
Successors successors(const Instruction& instruction);

struct ScopeEffect {
  const Var *declares = nullptr, *drops = nullptr;
};
ScopeEffect scope_effect(const Instruction& instruction);

} // namespace sourir
