// Which variables are in scope where (language.md section 3): a forward analysis from the start
// of a version and from every label that an exit targets. Lists the problems it meets.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/diagnostics.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace sourir {

// Position of each label of a version (0 .. body.size()); the entry of a continuation included.
std::unordered_map<Label, std::uint32_t> label_positions(const Version &version);

// The names in scope just before each position 0 .. body.size(), in order of declaration; empty
// optional: no root reaches the position. The program must be well-formed.
// Costs the sum of the sizes of the scopes.
using Scopes = std::vector<std::optional<std::vector<Var>>>;
Scopes scopes_of(const Program &program, const Function &function, const Version &version);

// The names in scope at one position of a well-formed version.
std::optional<std::vector<Var>> scope_at(const Program &program, const Function &function,
                                         const Version &version, std::uint32_t position);

} // namespace sourir
