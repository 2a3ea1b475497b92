// Program to LaTeX in the notation of the dissertation's figures: bold keywords, italic names,
// labels in a column of their own, versions indented under their function.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>
#include <string_view>

namespace sourir {

// Text as LaTeX that any engine and font encoding sets. Internal to to_latex.

// Every character shown as itself; without ligatures, so that code stays readable as code.
std::string latex_text(std::string_view utf8);

// A fragment for a paper: it needs no package, brings its own macros (\sourirline and two
// lengths, which the paper may define before), breaks pages between lines and wraps long ones.
// `standalone`: a document that compiles by itself. Plain ASCII whatever the program contains:
// letters outside of Latin-1 are written as their code points.
std::string to_latex(const Program& program, const Names& names, bool standalone);

} // namespace sourir
