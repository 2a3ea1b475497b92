// The compiler of native code as a machine wants it (NativeSettings::compiler): loaded from its
// library, with the host that it needs beside it.
#pragma once

#include "native/runtime/compiler_loader.h"

namespace sourir::native {

// Throws NoCompiler.
std::unique_ptr<NativeCompiler> loaded_compiler(Machine& machine);

} // namespace sourir::native
