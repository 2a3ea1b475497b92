// The value of a flag that names versions: F.V, or F for all versions of a function.
// Errors: as texts. Threads: any.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>

namespace sourir {

// Whether `wanted` (F.V, F or nothing, for all) names the version F.V.
bool names_version(const std::string& wanted, const std::string& version);

// The error where it names none of the program, with the name that is closest; otherwise empty.
std::string no_such_version(const std::string& wanted, const Program& program, const Names& names);

} // namespace sourir
