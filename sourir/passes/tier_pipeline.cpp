#include "sourir/passes/tier_pipeline.h"

#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir {

namespace {

Pipeline restricted(Pipeline pipeline, const std::string& functions) {
  for (PipelineStep& step : pipeline)
    match(
        step.step, [&](RunPass& pass) { pass.options.set("functions", functions); },
        [](RunCommand&) {},
        [&](Repeat& repeat) { repeat.body = restricted(std::move(repeat.body), functions); });
  return pipeline;
}

bool makes_speculative_versions(const PipelineStep& step) {
  const auto* const run = std::get_if<RunPass>(&step.step);
  return run != nullptr && (run->row->name == "fresh-version" || run->row->name == "checkpoints" ||
                            run->row->name == "speculate");
}

std::string names_of(const std::vector<FunName>& functions, const Names& names) {
  std::string text;
  for (const FunName f : functions) text.append(text.empty() ? "" : "+").append(names.text(f));
  return text;
}

} // namespace

Pipeline for_function(Pipeline pipeline, FunName function, const Feedback& feedback,
                      const Names& names) {
  std::vector<FunName> spoken_of = {function};
  const auto add = [&](const Place& at) {
    if (std::ranges::find(spoken_of, at.function) == spoken_of.end())
      spoken_of.push_back(at.function);
  };
  for (const Feedback::Seen& seen : feedback.seen) add(seen.at);
  for (const Feedback::BranchCounts& counts : feedback.branches) add(counts.at);
  const auto rest = std::ranges::find_if_not(pipeline, makes_speculative_versions);
  Pipeline first(pipeline.begin(), rest), then(rest, pipeline.end());
  first = restricted(std::move(first), names_of(spoken_of, names));
  then = restricted(std::move(then), names_of({function}, names));
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

std::optional<OptimizedFunction> optimize_function(const Program& program, FunName function,
                                                   const Feedback& feedback,
                                                   const Pipeline& pipeline, Names& names,
                                                   const PipelineHooks& given) {
  const auto active = [function](const Program& p) {
    return std::ranges::find(p.functions, function, &Function::name)->versions.front().name;
  };
  PipelineHooks hooks = given;
  hooks.compose_maps = true;
  hooks.part = true;
  PipelineResult result = run_pipeline(for_function(pipeline, function, feedback, names), program,
                                       names, feedback, hooks);
  if (active(result.program) == active(program)) return std::nullopt;
  return OptimizedFunction{std::move(result.program), std::move(*result.map)};
}

} // namespace sourir
