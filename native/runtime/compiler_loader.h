// Finds and loads the compiler of native code, which lies in a library of its own: libLLVM takes
// longer to load than most programs take to run.
#pragma once

#include "native/runtime/compiler_host.h"

#include <filesystem>
#include <stdexcept>

namespace sourir::native {

// Where the library may be: beside the executable, in bin beside its folder, in lib/sourir where it
// was installed.
std::vector<std::filesystem::path> compiler_places();

struct NoCompiler : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The host must outlive the compiler. Throws NoCompiler, which says where it was looked for,
// or why it cannot be used. The library stays loaded.
std::unique_ptr<NativeCompiler> load_compiler(const CompilerHost& host,
                                              std::span<const std::filesystem::path> places);

} // namespace sourir::native
