// The limits of a run of a check besides its steps (`fuel`): many such runs share a machine. Units:
// sourir/semantics/limits.h.
#pragma once

#include "sourir/semantics/limits.h"

namespace sourir {

inline Limits check_limits(std::uint64_t fuel) {
  Limits limits;
  limits.fuel = fuel;
  limits.heap = 1 << 26;
  limits.depth = 100'000;
  limits.array = 1'000'000;
  limits.output = 1 << 20;
  limits.stack = 1 << 28;
  return limits;
}

} // namespace sourir
