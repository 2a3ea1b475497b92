// Warnings of `sourir check`: what is allowed and is hardly meant.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/diagnostics.h"

namespace sourir {

// Adds warnings for variables that are never used, code that is never reached, guards that never
// hold, versions with a context that nothing enters, exits that lead to each other or away from the
// base, and variables with the name of a function. The program is well-formed; `spans` are those of
// its text.
void add_warnings(const Program& program, const SourceMap& spans, const Names& names,
                  Diagnostics& problems);

} // namespace sourir
