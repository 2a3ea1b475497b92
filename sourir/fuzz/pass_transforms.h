// The transforms of campaigns: the passes with their options, presets, commands; feedback for them.
#pragma once

#include "sourir/fuzz/fuzz_case.h"
#include "sourir/passes/core/pass.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/result.h"

namespace sourir {

struct PassTransforms {
  std::vector<Transform> transforms;   // what pipelines are drawn from: all
  std::vector<std::size_t> under_test; // those that were asked for; empty: all
};

// `text` as in --pass: each of its steps by itself is a transform ("inline,O2,fix(dce,simplify)");
// `all`: each pass, those with options that do something else, and the presets.
// `command` answers for exec:CMD, `plugins` loads plugin:FILE.
using AskCommand = std::function<Result<CommandOutput>(const std::string& command,
                                                       const Program& program, Names& names)>;
std::variant<PassTransforms, PipelineError>
pass_transforms(const std::string& text, AskCommand command = {}, const LoadPlugin& plugins = {});

// The plan with these transforms.
FuzzPlan with_transforms(FuzzPlan plan, PassTransforms transforms);

// Feedback about some places of the program: what always held when it ran, or (by the seed)
// arbitrary feedback. It depends on the places and the seed only.
Feedback random_feedback(const TransformInput& in);

} // namespace sourir
