// Which variable an instruction binds.
#pragma once

#include "sourir/semantics/code.h"

namespace sourir::native {

// To a value that was computed.
inline std::optional<Slot> bound_by(const code::Instr& i) {
  if (const auto* const decl = std::get_if<code::Decl>(&i)) return decl->x;
  if (const auto* const assign = std::get_if<code::Assign>(&i)) return assign->x;
  if (const auto* const read = std::get_if<code::Read>(&i)) return read->x;
  if (const auto* const call = std::get_if<code::Call>(&i)) return call->x;
  return {};
}

} // namespace sourir::native
