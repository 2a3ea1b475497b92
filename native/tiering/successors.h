// The positions that may follow an instruction. Threads: any.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

namespace sourir::native {

// Calls to(pc) for each of them, exits and callees aside.
template <typename To>
void for_each_successor(const resolved::Instr& i, Pc pc, To to) {
  match(
      i, [&](const resolved::Goto& jump) { to(jump.target); },
      [&](const resolved::Branch& branch) { to(branch.if_true), to(branch.if_false); },
      [](const resolved::Return&) {}, [](const resolved::Stop&) {},
      [&](const auto&) { to(pc + 1); });
}

} // namespace sourir::native
