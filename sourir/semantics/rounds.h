// The ends of rounds: what every engine counts (fuel where steps are not known, the clock of
// grow.h) and where it looks around.
#pragma once

#include "sourir/semantics/code.h"

namespace sourir {

// Whether an instruction at pc may go to itself or to one before it. A branch counts each time that
// it is done, whichever way it goes.
inline bool goes_back(const code::Goto& i, Pc pc) { return i.target <= pc; }
inline bool goes_back(const code::Branch& i, Pc pc) { return i.if_true <= pc || i.if_false <= pc; }
inline bool goes_back(const code::Instr& instr, Pc pc) {
  if (const auto* jump = std::get_if<code::Goto>(&instr)) return goes_back(*jump, pc);
  const auto* branch = std::get_if<code::Branch>(&instr);
  return branch != nullptr && goes_back(*branch, pc);
}

} // namespace sourir
