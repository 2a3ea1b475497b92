// Exits of instructions, and their frames, inner and outer ones alike.
#pragma once

#include "sourir/syntax/ast.h"

namespace sourir {

// The exit of an assume or an anchor; null for all other instructions.
const Metadata* exit_of(const Instruction& instruction);
Metadata* exit_of(Instruction& instruction);

struct ExitFrame {
  const Place* target;
  const Var* result; // of an outer frame; else null
  const std::vector<Binding>* varmap;

  // The names that are bound at the target after the exit, in order; may have duplicates.
  std::vector<Var> domain() const;
};

inline std::size_t frame_count(const Metadata& exit) { return 1 + exit.outer.size(); }
// 0: the frame where execution resumes; then the outer frames, innermost first.
ExitFrame frame_at(const Metadata& exit, std::size_t index);

} // namespace sourir
