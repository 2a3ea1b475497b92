// Printers of programs, their parts, and state maps. parse(print(p)) == p in both notations,
// comments included. metadata.h prints places, expr.h operators.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>

namespace sourir {

struct StateMap;

enum class Notation { Prototype, Paper };

std::string print(const Program& program, const Names& names, Notation = Notation::Prototype);

std::string print(const Literal& literal, const Names& names);
std::string print(const SimpleExpr& expr, const Names& names);
std::string print(const Expr& expr, const Names& names, Notation = Notation::Prototype);
// One line without comments; a with block makes it several.
std::string print(const Instruction& instr, const Names& names, Notation = Notation::Prototype);
// The same on one line: a `with` block is shortened to `with { ... }`.
std::string print_line(const Instruction& instr, const Names& names);
std::string print(const Metadata& exit, const Names& names, Notation = Notation::Prototype);

// "F.V+n -> frames" lines, one for each listed position; "F.V = F.V'" for the identity.
std::string print(const StateMap& map, const Names& names);

// The shortest text that reads back to the same bits, always with '.' or an exponent; nan, inf,
// -inf.
std::string print_float(double value);
// With quotes and escapes.
std::string print_string(std::string_view text);

} // namespace sourir
