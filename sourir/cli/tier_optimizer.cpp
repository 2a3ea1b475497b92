#include "sourir/cli/tier_optimizer.h"

#include "sourir/passes/tier_pipeline.h"

namespace sourir {

native::Optimizer tier_optimizer(Pipeline pipeline) {
  return [pipeline = std::move(pipeline)](
             const native::OptimizerRequest& request) -> std::optional<native::OptimizedProgram> {
    auto made = optimize_function(request.program, request.function, request.feedback, pipeline,
                                  request.names);
    if (!made) return std::nullopt;
    return native::OptimizedProgram{std::move(made->program), std::move(made->map)};
  };
}

} // namespace sourir
