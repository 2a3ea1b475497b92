// Comments and blank lines, where a parser can find them again.
#pragma once

#include "sourir/bisim/generate/tape.h"
#include "sourir/syntax/ast.h"

namespace sourir::random {

void add_comments(Tape& tape, Program& program);

} // namespace sourir::random
