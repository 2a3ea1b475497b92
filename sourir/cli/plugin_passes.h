// `--pass=plugin:FILE`: shared libraries with passes (sourir/passes/plugin.h), loaded into this
// process for good. A pass that crashes takes the process with it.
#pragma once

#include "sourir/passes/pipeline.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/result.h"

#include <optional>
#include <span>
#include <string>

namespace sourir {

// The passes of the file (a LoadPlugin). No code of a file is loaded that was made for another
// sourir, machine or standard library. Threads: one at a time.
Result<std::span<const PassRow>> load_plugin(const std::string& file);

// Runs a pass of a plugin (PipelineHooks::plugin); an exception that it throws is an error.
Result<std::optional<PassResult>> run_plugin_pass(const RunPass& pass, const PassInput& input);

} // namespace sourir
