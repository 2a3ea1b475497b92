// Renamed copies of instructions, for code that is inlined, split or unrolled; labels that a pass
// adds to a version for exits to target.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/scopes.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

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
// Exits keep their targets and the names there; names that their blocks make are renamed where
// `fresh` holds them already.
Instruction rename(const Instruction& instr, const Renaming& to, FreshNames& fresh);

// Labels of a frozen version, for exits to target. To add a label is all that a pass may do to such
// a version (docs/soundness.md, "Frozen versions").
class TargetLabels {
public:
  TargetLabels(const Version& version, Names& names);

  // A label at the position that nothing jumps to: one that stands there, or a new one.
  Label at(std::uint32_t position);
  // Whether no branch or goto goes to the label.
  bool only_for_exits(Label label) const { return !jumped_to_.contains(label); }
  // Puts the new ones into the version (or a copy of it).
  void add_to(Version& version) const;

private:
  const Version& version_;
  Names& names_;
  std::unordered_set<Label> taken_, jumped_to_;
  std::map<std::uint32_t, Label> added_;
  std::uint32_t next_ = 0;
};

// The identity varmap over `scope`, to a label of a version.
Metadata identity_exit(FunName function, VerName version, Label label, Scope scope);

} // namespace sourir
