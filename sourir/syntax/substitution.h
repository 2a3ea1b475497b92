// Simultaneous substitution in flat expressions (the e{VA} of dissertation Lemma 8). Used where
// metadata is composed, and by passes for the guards that go along with it.
#pragma once

#include "sourir/syntax/expr.h"

#include <optional>
#include <unordered_map>

namespace sourir {

// Variables and what stands for them; one that is not listed stands for itself.
using Substitution = std::unordered_map<Var, Expr>;

// Empty: the result would not be flat, because something other than a literal or variable would
// become an operand, or something other than a variable the array of x[se].
std::optional<Expr> substitute(const Expr& expr, const Substitution& values);

} // namespace sourir
