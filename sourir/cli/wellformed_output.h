// Whether programs that passes made are well-formed.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>

namespace sourir {

// All problems on standard error, at their places in the program's canonical text.
void show_not_wellformed(const std::string& name, const Program& program, Names& names);

} // namespace sourir
