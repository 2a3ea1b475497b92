// What is checked of the result of a pass that is not part of sourir, before anything relies on it.
// Whether the output behaves as the input is for a checker to find out.
#pragma once

#include "sourir/passes/core/pass.h"

#include <string>

namespace sourir {

// The first problem of the result, in one line; empty: none. Problems are an output that is not
// well-formed or lacks functions of the input or has them in another order, and origins of versions
// or positions that do not exist. Takes about as long as check_wellformed(). The input must be
// well-formed.
std::string foreign_result_problem(const PassResult& result, const Program& input,
                                   const Names& names);

} // namespace sourir
