// Well-formedness, which is checked before a program runs, and the normal form.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/source.h"

namespace sourir {

// Adds all problems of the program. `spans` may lack parts (then the spans of problems are empty).
// Near-linear in the size of the program for scopes of bounded size.
void check_wellformed(const Program& program, const SourceMap& spans, const Names& names,
                      Diagnostics& problems);

bool is_wellformed(const Program& program, const Names& names);

// Adds the places where a well-formed program is not in normal form.
void check_normal_form(const Program& program, const SourceMap& spans, const Names& names,
                       Diagnostics& problems);

} // namespace sourir
