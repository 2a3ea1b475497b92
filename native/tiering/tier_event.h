// What the tiers of a running program do, for whoever listens.
#pragma once

#include "sourir/semantics/resolved.h"

namespace sourir::native {

struct TierEvent {
  enum class Kind : std::uint8_t {
    Compiled, // native code is there from now on
    Retired,  // it was left too often, and is not entered any more
    Returned, // what samples had said is stale is entered again: they were wrong
    Left,     // an activation went on in other native code or in the baseline
  };
  Kind kind = Kind::Compiled;
  const ResolvedVersion* code = nullptr; // the version that the native code is of
  Pc pc = 0;                         // Compiled: where it is entered; Left: where it was left
  bool loop = false;                 // Compiled: it is entered by a loop that runs
  bool exits = false;                // Compiled: it is entered by exits that lead there
  bool sampled = false; // Compiled, Retired: because of samples, which say that the other is stale
  const Program* added = nullptr; // Compiled: the program with the version, if it is a new one
  // Left: by this exit of an assume or anchor; null: something was not as expected, and the
  // baseline went on in the same version.
  const resolved::Exit* exit = nullptr;
  bool native = false; // Left: it went on in native code, which is entered by exits
  std::uint64_t bytes = 0;
  double milliseconds = 0; // Compiled: of LLVM
};

} // namespace sourir::native
