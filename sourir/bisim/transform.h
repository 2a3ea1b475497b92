// What is done to programs and must keep what they do: rows of a table that the caller hands in
// (passes with their options, presets, a pass of the user's), so that this folder knows none.
#pragma once

#include "sourir/semantics/value.h"
#include "sourir/syntax/result.h"
#include "sourir/syntax/state_map.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

struct Transformed {
  Program program;
  StateMap map; // from places of `program` to states of the input
  std::uint64_t rewrites = 0;
};

struct TransformInput {
  const Program& program;
  Names& names;
  // For what is said about places of the program (feedback): what was so whenever it ran on these
  // inputs, or, by the seed, just anything. 0: nothing is said.
  const std::vector<Value>& inputs;
  std::uint64_t feedback_seed = 0;
};

struct Transform {
  std::string text; // as in --pass: "checkpoints:everywhere"
  // Empty: nothing changed. An error (it throws, its command fails) is a finding.
  std::function<Result<std::optional<Transformed>>(const TransformInput&)> run;
};

} // namespace sourir
