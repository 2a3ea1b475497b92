// Pipelines of passes and presets, and their text form, as in
// `--pass=inline:max-depth=3,fix:8(constprop,dce),O2,exec:CMD,plugin:FILE`. Errors of the text: the
// bytes concerned and a message.
#pragma once

#include "sourir/passes/core/pass.h"
#include "sourir/syntax/result.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sourir {

// A pipeline with a name: O1, O2, jit, ...
struct Preset {
  std::string_view name, summary;
  std::string pipeline; // the text that the name stands for
};

const std::vector<Preset>& all_presets();
const Preset* find_preset(std::string_view name); // null: there is none

struct PipelineStep;

struct RunPass { // name:option=value:switch; plugin:FILE or plugin:FILE:NAME, then options
  const PassRow* row = nullptr;
  PassOptions options;
  std::string text;     // as written
  bool foreign = false; // of a plugin: its results are checked
};
struct RunCommand { // exec:CMD, up to the next comma or bracket outside quotes and brackets
  std::string command;
};
struct Repeat { // fix(...), fix:N(...): until an iteration changes nothing, at most `bound` times
  std::uint64_t bound = 0;
  std::vector<PipelineStep> body;
};
struct PipelineStep {
  std::variant<RunPass, RunCommand, Repeat> step;
};
using Pipeline = std::vector<PipelineStep>;

inline constexpr std::uint64_t kIterations = 16; // of fix(...) without a number

struct PipelineError {
  std::size_t at = 0, length = 0; // bytes of the text that are wrong
  std::string message;
};

// The passes of a file for plugin:FILE, which are there as long as the process; or why there are
// none. There is at least one.
using LoadPlugin = std::function<Result<std::span<const PassRow>>(const std::string& file)>;

// Names of presets are replaced by what they stand for. Without `plugins` no plugin can be loaded.
std::variant<Pipeline, PipelineError> parse_pipeline(std::string_view text,
                                                     const LoadPlugin& plugins = {});

// The function names in options `functions=` that the program does not have, each once.
std::vector<std::string> unknown_functions(const Pipeline& pipeline, const Program& program,
                                           const Names& names);

} // namespace sourir
