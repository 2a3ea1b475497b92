// Generated inputs for programs that come without any.
#pragma once

#include "sourir/semantics/value.h"
#include "sourir/syntax/ast.h"

#include <vector>

namespace sourir {

bool reads_input(const Program& program);

// A few lists of inputs: small numbers, values of several types, numbers at the edges, an input
// that ends soon. One empty list for a program that reads nothing.
std::vector<std::vector<Value>> generated_inputs(const Program& program, std::uint64_t seed,
                                                 Names& names);

// Many more lists, half of their values from what the program compares and computes with.
std::vector<std::vector<Value>> many_inputs(const Program& program, std::uint64_t seed,
                                            Names& names);
// Numbers, strings, truth values that its tests and assignments mention, and the numbers beside
// them; each once, sorted by type and value.
std::vector<SimpleExpr> mentioned_literals(const Program& program);

} // namespace sourir
