// The loader of the compiler of native code. The compiler is a shared library, loaded when it is
// first needed: libLLVM takes longer to load than most programs take to run.
#pragma once

#include "native/engine/engine.h"
#include "native/runtime/compiler_host.h"

#include <filesystem>

namespace sourir::native {

// The paths tried, in order: beside the executable; in bin, then in lib/sourir, beside its folder.
std::vector<std::filesystem::path> compiler_places();

// Loads the first library that exists, for good. Throws NoCompiler, with the paths tried or the
// reason why the library cannot be used.
std::unique_ptr<NativeCompiler> load_compiler(const CompilerHost& host,
                                              std::span<const std::filesystem::path> places);

// A value for NativeSettings::compiler. Loads the library, and throws as load_compiler does, when
// it is called.
CompilerFactory
compiler_from_library(std::vector<std::filesystem::path> places = compiler_places());
// The same with one compiler for many machines, one after the other: its start takes longer than
// most programs. It lives as long as a copy of the result.
CompilerFactory one_compiler_from_library();

} // namespace sourir::native
