#include "sourir/passes/tier_pipeline.h"

#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir {

Pipeline for_function(Pipeline pipeline, FunName function, const Names& names) {
  for (PipelineStep& step : pipeline)
    match(
        step.step,
        [&](RunPass& pass) { pass.options.set("functions", std::string(names.text(function))); },
        [](RunCommand&) {},
        [&](Repeat& repeat) {
          repeat.body = for_function(std::move(repeat.body), function, names);
        });
  return pipeline;
}

std::optional<OptimizedFunction> optimize_function(const Program& program, FunName function,
                                                   const Feedback& feedback,
                                                   const Pipeline& pipeline, Names& names) {
  const auto active = [function](const Program& p) {
    return std::ranges::find(p.functions, function, &Function::name)->versions.front().name;
  };
  PipelineHooks hooks;
  hooks.compose_maps = true;
  PipelineResult result =
      run_pipeline(for_function(pipeline, function, names), program, names, feedback, hooks);
  if (active(result.program) == active(program)) return std::nullopt;
  return OptimizedFunction{std::move(result.program), std::move(*result.map)};
}

} // namespace sourir
