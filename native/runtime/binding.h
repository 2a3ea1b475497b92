// Which variable an instruction binds.
#pragma once

#include "sourir/semantics/resolved.h"

namespace sourir::native {

// To a value that was computed.
inline std::optional<Slot> bound_by(const resolved::Instr& i) {
  if (const auto* const decl = std::get_if<resolved::Decl>(&i)) return decl->x;
  if (const auto* const assign = std::get_if<resolved::Assign>(&i)) return assign->x;
  if (const auto* const read = std::get_if<resolved::Read>(&i)) return read->x;
  if (const auto* const call = std::get_if<resolved::Call>(&i)) return call->x;
  return {};
}

} // namespace sourir::native
