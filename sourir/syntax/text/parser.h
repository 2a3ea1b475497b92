// Parsers of programs, literals, expressions and places: both notations, sourir's and the paper's.
// Hand-written, two tokens of look-ahead; recovers at the next line, so that all problems of a file
// are found at once.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/source.h"

#include <optional>

namespace sourir {

struct Parsed {
  Program program;
  SourceMap spans;
};

// The program as far as it could be read; complete only if no error is added to `problems`.
Parsed parse(const Source& source, Names& names, Diagnostics& problems);

// A single literal, as `read` takes them from the input: surrounding blanks are allowed, nothing
// else; 'f need not name a function. Empty for floats that are not finite, and for other text.
std::optional<Literal> parse_literal(std::string_view text, Names& names);

// An expression or a place (F.V.L, F.V.L+n, F.V+n) as typed in a flag or a command.
std::optional<Expr> parse_expr(std::string_view text, Names& names);
std::optional<Place> parse_place(std::string_view text, Names& names);

} // namespace sourir
