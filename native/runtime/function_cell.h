// What native code and the interpreter know of a function of the running program. The cells of a
// machine never move; native code contains their addresses.
#pragma once

#include "native/runtime/native_code.h"
#include "sourir/semantics/code.h"

#include <atomic>

namespace sourir::native {

struct FunctionCell {
  // Native code for calls by the convention of native_code.h; null: rt_call, which runs the
  // baseline. Set by whoever installs code; read at each call.
  std::atomic<void*> entry = nullptr;
  std::uint32_t arity = 0;
  FunName name;
  const LinkedProgram::Fun* fun = nullptr; // null: no function has this name
};
static_assert(sizeof(std::atomic<void*>) == 8);

} // namespace sourir::native
