// Copies of instructions under other names, for code that is inlined, split or unrolled.
#pragma once

#include "sourir/syntax/ast.h"

#include <unordered_map>

namespace sourir {

struct Renaming {
  std::unordered_map<Var, Var> variables; // not listed: kept
  std::unordered_map<Label, Label> labels;

  Var variable(Var x) const {
    const auto found = variables.find(x);
    return found == variables.end() ? x : found->second;
  }
  Label label(Label l) const {
    const auto found = labels.find(l);
    return found == labels.end() ? l : found->second;
  }
};

Expr rename(const Expr& e, const Renaming& to);
// Exits keep their targets and the names there; names that their blocks make get fresh ones where
// `fresh` knows them.
Instruction rename(const Instruction& instr, const Renaming& to, FreshNames& fresh);

} // namespace sourir
