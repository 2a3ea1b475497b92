// Program to text. parse(print(p)) == p in both notations, comments included.
#pragma once

#include "sourir/syntax/ast.h"

#include <string>

namespace sourir {

enum class Notation { Prototype, Paper };

std::string print(const Program& program, const Names& names, Notation = Notation::Prototype);

std::string print(const Literal& literal, const Names& names);
std::string print(const SimpleExpr& expr, const Names& names);
std::string print(const Expr& expr, const Names& names, Notation = Notation::Prototype);
// One line without comments; a with block makes it several.
std::string print(const Instruction& instr, const Names& names, Notation = Notation::Prototype);
std::string print(const Metadata& exit, const Names& names, Notation = Notation::Prototype);
std::string print(const Place& place, const Names& names); // F.V.L+n

// Shortest text that reads back to the same bits, always with '.' or an exponent; nan, inf, -inf.
std::string print_float(double value);
// With quotes and escapes.
std::string print_string(std::string_view text);
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);
std::string_view spelling(Kind kind);

} // namespace sourir
