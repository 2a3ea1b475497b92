// What native code and the interpreter know of a function of the running program. The cells of a
// machine never move; native code contains their addresses.
#pragma once

#include "native/runtime/native_code.h"
#include "sourir/semantics/resolved.h"

#include <atomic>

namespace sourir::native {

struct Insn;

struct FunctionCell {
  // Native code for calls by the convention of native_code.h; null: rt_call, which runs the
  // baseline. Set by whoever installs code; read at each call.
  std::atomic<void*> entry = nullptr;
  std::uint32_t arity = 0;
  FunName name;
  const LinkedProgram::Fun* fun = nullptr; // null: no function has this name

  // Of the baseline. Where calls enter: the first instruction of the one version, or one that
  // translates it first, or one that looks at contexts.
  Insn* baseline = nullptr;
  // The largest of its versions that may be entered; the parameters' where it is not yet known.
  std::uint32_t frame_bytes = 0;
  std::uint64_t calls = 0;                  // made by the baseline
  std::uint64_t hot_at = ~std::uint64_t{0}; // so many: Machine::call_hot
};
static_assert(sizeof(std::atomic<void*>) == 8);

} // namespace sourir::native
