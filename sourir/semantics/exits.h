// Exits and bindings of resolved instructions. Inline, so that the compiler's library can use them.
#pragma once

#include "sourir/semantics/resolved.h"

#include <utility>

namespace sourir {

// The exit of an assume or an anchor; null for all other instructions.
inline const resolved::Exit* exit_of(const resolved::Instr& instr) {
  if (const auto* const assume = std::get_if<resolved::Assume>(&instr)) return &assume->exit;
  const auto* const anchor = std::get_if<resolved::Anchor>(&instr);
  return anchor != nullptr ? &anchor->exit : nullptr;
}
inline resolved::Exit* exit_of(resolved::Instr& instr) {
  return const_cast<resolved::Exit*>(exit_of(std::as_const(instr)));
}

// The exit at a position; null: there is none, or the position is the end of the version.
inline const resolved::Exit* exit_at(const ResolvedVersion& code, Pc pc) {
  return pc < code.instrs.size() ? exit_of(code.instrs[pc]) : nullptr;
}

// The variable that the instruction binds to a value that it computes, reads or gets from a call;
// empty: none. New arrays do not count.
inline std::optional<Slot> bound_by(const resolved::Instr& instr) {
  if (const auto* const decl = std::get_if<resolved::Decl>(&instr)) return decl->x;
  if (const auto* const assign = std::get_if<resolved::Assign>(&instr)) return assign->x;
  if (const auto* const read = std::get_if<resolved::Read>(&instr)) return read->x;
  if (const auto* const call = std::get_if<resolved::Call>(&instr)) return call->x;
  return {};
}

} // namespace sourir
