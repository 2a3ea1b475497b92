#include "sourir/cli/tier_optimizer.h"

#include "sourir/cli/exec_pass.h"
#include "sourir/passes/tier_pipeline.h"

namespace sourir {

namespace {

constexpr std::uint64_t kExecSeconds = 60; // for each version

} // namespace

native::Optimizer tier_optimizer(Pipeline pipeline) {
  return [pipeline = std::move(pipeline)](
             const native::OptimizerRequest& request) -> std::optional<native::OptimizedProgram> {
    PipelineHooks hooks;
    hooks.command = [&](const std::string& command, const PassInput& input) {
      return run_exec_pass(command, input.program, request.names, kExecSeconds);
    };
    auto made = optimize_function(request.program, request.function, request.feedback, pipeline,
                                  request.names, hooks);
    if (!made) return std::nullopt;
    return native::OptimizedProgram{std::move(made->program), std::move(made->map)};
  };
}

} // namespace sourir
