// `sourir completion bash|zsh`: a script for the shell, made from the commands themselves.
#pragma once

#include "sourir/cli/command.h"

#include <string>
#include <vector>

namespace sourir {

// The script on standard output.
int run_completion(const std::string& shell, const std::vector<Command>& commands);

} // namespace sourir
