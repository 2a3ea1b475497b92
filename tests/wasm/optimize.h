// The passes and the lock-step check, for the driver.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>
#include <vector>

namespace sourir {

// The program after the passes, checked in lock step with what it was, for these lines of input.
// The exit status; 0: fine. Problems are told on standard error.
int optimize(Program& program, const std::string& pipeline, const std::vector<std::string>& lines,
             Names& names);

// Prints the message to standard error; the status.
int say(int status, const std::string& message);

} // namespace sourir
