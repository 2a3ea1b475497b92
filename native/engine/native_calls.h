// Calls of native code by its convention (native/runtime/native_code.h).
#pragma once

#include "native/runtime/native_code.h"
#include "sourir/semantics/value.h"

namespace sourir::native {

// depth: return frames that the callee may still push. n: at most kMostNativeParameters.
NativeResult call_native_code(void* entry, std::int64_t depth, const Value* arguments,
                              std::uint32_t n);

} // namespace sourir::native
