#include "native/runtime/loaded_compiler.h"

#include "native/runtime/machine.h"

namespace sourir::native {

namespace {

class LoadedCompiler final : public NativeCompiler {
public:
  explicit LoadedCompiler(Machine& machine) {
    host_.machine = &machine;
    host_.cells = machine.cells();
    host_.fuel = machine.fuel();
    host_.names = &machine.program().names();
    host_.calls = runtime_calls();
    compiler_ = load_compiler(host_, compiler_places());
  }

  std::vector<std::unique_ptr<NativeCode>> compile(std::span<const CompileRequest> requests,
                                                   const CompileOptions& options) override {
    return compiler_->compile(requests, options);
  }
  std::string show(std::span<const CompileRequest> requests, const CompileOptions& options,
                   Form form) override {
    return compiler_->show(requests, options, form);
  }

private:
  CompilerHost host_;
  std::unique_ptr<NativeCompiler> compiler_;
};

} // namespace

std::unique_ptr<NativeCompiler> loaded_compiler(Machine& machine) {
  return std::make_unique<LoadedCompiler>(machine);
}

} // namespace sourir::native
