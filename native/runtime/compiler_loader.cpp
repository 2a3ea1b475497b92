#include "native/runtime/compiler_loader.h"

#include "native/runtime/machine.h"

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

CompilerFactory compiler_from_library(std::vector<fs::path> places) {
  return [places = std::move(places)](Machine& machine) {
    CompilerHost host;
    host.machine = &machine;
    host.cells = machine.cells();
    host.fuel = machine.fuel();
    host.returned = machine.returned();
    host.heap = machine.heap.free_lists();
    if (machine.settings().watch)
      host.watch = [](Machine* m, std::uint64_t index, Value v) { return m->new_watch(index, v); };
    host.names = &machine.program().names();
    host.calls = runtime_calls();
    return load_compiler(host, places);
  };
}

} // namespace sourir::native
