// Back edges: every engine counts them (fuel where steps are not known, the event counter of
// extend_program.h) and polls there.
#pragma once

#include "sourir/semantics/resolved.h"

namespace sourir {

// Whether the instruction at `pc` may jump to itself or to one before it. A branch counts each time
// it is executed, whichever edge it takes.
inline bool is_back_edge(const resolved::Goto& i, Pc pc) { return i.target <= pc; }
inline bool is_back_edge(const resolved::Branch& i, Pc pc) {
  return i.if_true <= pc || i.if_false <= pc;
}
inline bool is_back_edge(const resolved::Instr& instr, Pc pc) {
  if (const auto* jump = std::get_if<resolved::Goto>(&instr)) return is_back_edge(*jump, pc);
  const auto* branch = std::get_if<resolved::Branch>(&instr);
  return branch != nullptr && is_back_edge(*branch, pc);
}

} // namespace sourir
