#include "native/engine/compiler_loader.h"

#include "native/engine/machine.h"

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

namespace {

// A compiler on loan to one machine.
class Lent final : public NativeCompiler {
public:
  explicit Lent(NativeCompiler& compiler) : compiler_(compiler) {}
  std::vector<std::unique_ptr<NativeCode>> compile(std::span<const CompileRequest> requests,
                                                   const CompileOptions& options) override {
    return compiler_.compile(requests, options);
  }
  std::string show(std::span<const CompileRequest> requests, const CompileOptions& options,
                   Form form) override {
    return compiler_.show(requests, options, form);
  }
  AssemblyOfIr assembly_of_ir(std::span<const CompileRequest> requests,
                              const CompileOptions& options) override {
    return compiler_.assembly_of_ir(requests, options);
  }
  std::vector<PassChange> passes(std::span<const CompileRequest> requests,
                                 const CompileOptions& options) override {
    return compiler_.passes(requests, options);
  }
  std::vector<NativeExit> exits(const CompileRequest& request,
                                const CompileOptions& options) override {
    return compiler_.exits(request, options);
  }
  void serve(const CompilerHost& host) override { compiler_.serve(host); }

private:
  NativeCompiler& compiler_;
};

} // namespace

CompilerFactory compiler_from_library(std::vector<fs::path> places) {
  return [places = std::move(places)](Machine& machine) {
    return load_compiler(machine.compiler_host(), places);
  };
}

CompilerFactory one_compiler_from_library() {
  const auto kept = std::make_shared<std::unique_ptr<NativeCompiler>>();
  return [kept](Machine& machine) -> std::unique_ptr<NativeCompiler> {
    if (*kept)
      (*kept)->serve(machine.compiler_host());
    else
      *kept = load_compiler(machine.compiler_host(), compiler_places());
    return std::make_unique<Lent>(**kept);
  };
}

} // namespace sourir::native
