// Program to LaTeX in the notation of the dissertation's figures: bold keywords, italic names,
// labels in a column of their own, versions indented under their function.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>
#include <string_view>

namespace sourir {

// Text as LaTeX for any engine and font encoding: every character shown as itself, without
// ligatures.
std::string latex_text(std::string_view utf8);

// A fragment for a paper: it needs no package, defines its own macros (\sourirline and two lengths,
// unless the paper has defined them), breaks pages between lines and wraps long ones. `standalone`:
// a complete document. The result is ASCII: letters outside of Latin-1 are written as their code
// points.
std::string to_latex(const Program& program, const Names& names, bool standalone);

} // namespace sourir
