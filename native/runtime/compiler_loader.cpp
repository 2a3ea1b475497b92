#include "native/runtime/compiler_loader.h"

#include <dlfcn.h>

#include <stdexcept>

namespace sourir::native {

namespace fs = std::filesystem;

std::vector<fs::path> compiler_places() {
  const char* name = "libsourir_llvm.so";
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {name};
  return {folder / name, folder.parent_path() / "bin" / name,
          folder.parent_path() / "lib" / "sourir" / name};
}

std::unique_ptr<NativeCompiler> load_compiler(const CompilerHost& host,
                                              std::span<const fs::path> places) {
  std::string tried;
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::exists(place, error)) {
      tried += (tried.empty() ? "" : ", ") + place.string();
      continue;
    }
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw NoCompiler("the compiler of native code cannot be loaded: " + std::string(dlerror()));
    void* symbol = dlsym(library, "sourir_make_native_compiler");
    auto* make = reinterpret_cast<MakeNativeCompiler>(symbol);
    NativeCompiler* compiler = make == nullptr ? nullptr : make(host);
    if (compiler == nullptr)
      throw NoCompiler(place.string() +
                       " belongs to another version of sourir: build both together");
    return std::unique_ptr<NativeCompiler>(compiler);
  }
  throw NoCompiler("no compiler of native code (looked for " + tried +
                   "): use --engine=baseline, or build with SOURIR_LLVM=ON");
}

} // namespace sourir::native
