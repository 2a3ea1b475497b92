// The option `context` of passes: guards on the arguments of calls.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kContextOption = {
    "context", "PREDICATE", "what holds for the arguments, such as x is int; several times"};

// Those given; none: the option is not given.
std::vector<Expr> context_guards(const PassInput& input);
// A variable in a guard that is no parameter of the function; empty: there is none.
std::optional<Var> no_parameter(std::span<const Expr> guards, const Function& function);

} // namespace sourir
