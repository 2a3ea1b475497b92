#include "sourir/cli/engine/tier_optimizer.h"

#include "native/tiering/program_part.h"
#include "sourir/cli/exec_pass.h"
#include "sourir/passes/tier_pipeline.h"

#include <algorithm>

namespace sourir {

namespace {

constexpr std::uint64_t kExecSeconds = 60; // for each version

bool runs_commands(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline, [](const PipelineStep& step) {
    const auto* const repeat = std::get_if<Repeat>(&step.step);
    return std::holds_alternative<RunCommand>(step.step) ||
           (repeat != nullptr && runs_commands(repeat->body));
  });
}

} // namespace

native::Optimizer tier_optimizer(Pipeline pipeline) {
  return [pipeline = std::move(pipeline)](
             const native::OptimizerRequest& request) -> std::optional<native::OptimizedProgram> {
    PipelineHooks hooks;
    hooks.command = [&](const std::string& command, const PassInput& input) {
      return run_exec_pass(command, input.program, request.names, kExecSeconds);
    };
    // A command gets a program that is one.
    std::optional<Program> whole;
    if (runs_commands(pipeline)) whole = native::with_part(request.running, request.program);
    auto made = optimize_function(whole ? *whole : request.program, request.function,
                                  request.feedback, pipeline, request.names, hooks);
    if (!made) return std::nullopt;
    return native::OptimizedProgram{std::move(made->program), std::move(made->map)};
  };
}

} // namespace sourir
