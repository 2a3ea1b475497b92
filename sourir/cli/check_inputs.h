// What programs read while they are checked.
#pragma once

#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <string>
#include <vector>

namespace sourir {

// A file with one literal a line, "-" for standard input; empty: several generated lists, if the
// program reads. The problem, or nothing.
std::string check_inputs(const std::string& path, const Program& program, std::uint64_t seed,
                         Names& names, std::vector<std::vector<Value>>& inputs);

} // namespace sourir
