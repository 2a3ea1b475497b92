// What the tiers of a running program do, for whoever listens.
#pragma once

#include "native/runtime/native_code.h"

#include <functional>
#include <string_view>

namespace sourir::native {

struct TierEvent {
  enum class Kind : std::uint8_t {
    Compiled,    // native code is there from now on
    Invalidated, // it was left too often, and is not entered any more
    Reinstated,  // code that samples said is stale is entered again: they were wrong
    Deoptimized, // an activation went on in other native code or in the baseline
  };
  Kind kind = Kind::Compiled;
  const ResolvedVersion* code = nullptr; // the version that the native code is of
  Pc pc = 0;            // Compiled: where it is entered; Deoptimized: where it was left
  bool loop = false;    // Compiled: it is entered by a loop that runs
  bool exits = false;   // Compiled: it is entered by exits that lead there
  bool sampled = false; // Compiled, Invalidated: because of samples, which say the other is stale
  const Program* added = nullptr; // Compiled: the program with the version, if it is a new one
  // Deoptimized: by this exit of an assume or anchor; null: a bailout, and the baseline went on in
  // the same version.
  const resolved::Exit* exit = nullptr;
  bool native = false; // Deoptimized: it went on in native code, which is entered by exits
  std::uint64_t bytes = 0;
  double milliseconds = 0; // Compiled: of LLVM
};

// Native code that was just compiled: one code object for each request.
struct MadeCode {
  NativeCompiler& compiler; // which may be asked to show it
  std::span<const CompileRequest> requests;
  const CompileOptions& options;
  std::span<const NativeCode* const> codes;
};

// On the thread of the program or of the compiler, one at a time, while nobody makes names. Each
// may be empty.
struct TieringHooks {
  std::function<void(const TierEvent&)> tiers;
  // Something went wrong that the program need not notice.
  std::function<void(std::string_view)> warn;
  std::function<void(const MadeCode&)> made;
};

} // namespace sourir::native
