// Checking what is left of a program with lines that could not be read, so that all problems of a
// file are reported at once without inventing any.
#pragma once

#include "sourir/syntax/text/parser.h"

namespace sourir {

// Adds the problems that hold whatever the unreadable lines were meant to say: those of names
// everywhere (labels of such a line are known), those of scopes and ends only in functions
// without such a line, and none when a header could not be read. `problems` holds those of
// reading, all of them errors or warnings with spans in `source`.
void check_damaged(const Parsed& parsed, const Source& source, const Names& names,
                   Diagnostics& problems);

} // namespace sourir
