// The positions that may follow an instruction. Threads: any.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/match.h"

#include <vector>

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

// Whether control may come from `start` to each position.
inline std::vector<bool> reached_from(const ResolvedVersion& code, Pc start) {
  std::vector<bool> reached(code.instrs.size());
  std::vector<Pc> work{start};
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    if (pc >= reached.size() || reached[pc]) continue;
    reached[pc] = true;
    for_each_successor(code.instrs[pc], pc, [&](Pc to) { work.push_back(to); });
  }
  return reached;
}

} // namespace sourir::native
