// Finds and loads the compiler of native code, a library of its own: loading libLLVM takes longer
// than most programs run.
#pragma once

#include "native/engine/engine.h"
#include "native/runtime/compiler_host.h"

#include <filesystem>

namespace sourir::native {

// Where the library may be: beside the executable, in bin beside its folder, in lib/sourir where it
// was installed.
std::vector<std::filesystem::path> compiler_places();

// Throws NoCompiler, which names the places that were searched, or why it cannot be used. The
// library stays loaded.
std::unique_ptr<NativeCompiler> load_compiler(const CompilerHost& host,
                                              std::span<const std::filesystem::path> places);

// What NativeSettings::compiler is where there is native code: loads the library when it is first
// requested a compiler. Throws then, as load_compiler does.
CompilerFactory
compiler_from_library(std::vector<std::filesystem::path> places = compiler_places());
// The same with one compiler for many machines, one after the other: to start one takes longer than
// most programs. It lives as long as a copy of what is returned.
CompilerFactory one_compiler_from_library();

} // namespace sourir::native
