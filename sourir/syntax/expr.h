// Flat expressions (dissertation Figure 2.5), the types of operands and results of operators, and
// substitution. Values without ownership: a copy shares nothing.
#pragma once

#include "sourir/syntax/ids.h"
#include "sourir/syntax/type_set.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <variant>

namespace sourir {

struct Nil {
  friend bool operator==(Nil, Nil) = default;
};

// A binary64 literal. Equality is of bits: -0.0 and 0.0 are different literals.
struct Float {
  double value = 0;
  friend bool operator==(Float a, Float b) {
    return std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
  }
};

using Literal = std::variant<Nil, bool, std::int64_t, Float, Str, FunName>;

// se ::= literal | x      (the alternatives of Literal in the same order, then the variable)
using SimpleExpr = std::variant<Nil, bool, std::int64_t, Float, Str, FunName, Var>;

inline SimpleExpr to_simple(const Literal& literal) {
  return std::visit([](auto v) { return SimpleExpr(v); }, literal);
}
inline bool is_int(const SimpleExpr& e) { return std::holds_alternative<std::int64_t>(e); }
inline bool is_number(const SimpleExpr& e) { return is_int(e) || std::holds_alternative<Float>(e); }

enum class UnaryOp : std::uint8_t { Neg, Not };
enum class BinaryOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Mod, And, Or };
// As programs spell them: "-", "==", "int".
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);
std::string_view spelling(Kind kind);

struct Unary {
  UnaryOp op;
  SimpleExpr operand;
  friend bool operator==(const Unary&, const Unary&) = default;
};
struct Binary {
  BinaryOp op;
  SimpleExpr left, right;
  friend bool operator==(const Binary&, const Binary&) = default;
};
struct Index { // x[se]
  Var array;
  SimpleExpr index;
  friend bool operator==(const Index&, const Index&) = default;
};
struct Length { // length(se)
  SimpleExpr array;
  friend bool operator==(const Length&, const Length&) = default;
};
struct KindTest { // (se is kind)   [ext]
  SimpleExpr operand;
  Kind kind;
  friend bool operator==(const KindTest&, const KindTest&) = default;
};
// The types of elements that a program can test.
inline constexpr TypeSet kElementTypes{Kind::Bool, Kind::Int, Kind::Float};
struct ElementsTest { // (se is kind[]): an array of such elements only; guards and contexts   [ext]
  SimpleExpr operand;
  Kind kind; // in kElementTypes
  friend bool operator==(const ElementsTest&, const ElementsTest&) = default;
};

using Expr = std::variant<SimpleExpr, Unary, Binary, Index, Length, KindTest, ElementsTest>;

// Whether its value depends on elements of an array.
inline bool reads_elements(const Expr& e) {
  return std::holds_alternative<Index>(e) || std::holds_alternative<ElementsTest>(e);
}

// --- The types that operators need of their operands, and those of their results, for all analyses
// of the AST, of type feedback and of native code

constexpr bool is_arithmetic(BinaryOp op) { return op >= BinaryOp::Add && op <= BinaryOp::Mod; }

// An operand of another type is an error.
constexpr TypeSet operand_types(UnaryOp op) {
  return op == UnaryOp::Not ? TypeSet(Kind::Bool) : kNumbers;
}
constexpr TypeSet operand_types(BinaryOp op) {
  if (op == BinaryOp::Eq || op == BinaryOp::Ne) return kAnyType;
  return op == BinaryOp::And || op == BinaryOp::Or ? TypeSet(Kind::Bool) : kNumbers;
}

// The types of the result if there is no error. Empty: arithmetic that always fails.
constexpr TypeSet result_types(UnaryOp op, TypeSet operand) {
  return op == UnaryOp::Not ? TypeSet(Kind::Bool) : operand & kNumbers;
}
constexpr TypeSet result_types(BinaryOp op, TypeSet a, TypeSet b) {
  if (!is_arithmetic(op)) return Kind::Bool;
  TypeSet result = (a | b) & TypeSet(Kind::Float);
  if (a.has(Kind::Int) && b.has(Kind::Int)) result |= Kind::Int;
  return result;
}

// --- Simultaneous substitution in flat expressions (the e{VA} of dissertation Lemma 8), in
// composed metadata and in the guards that passes move with it

// The expression that replaces each variable; a variable that is not listed stays.
using Substitution = std::unordered_map<Var, Expr>;

// Empty: the result would not be flat, because something other than a literal or variable would
// become an operand, or something other than a variable the array of x[se].
std::optional<Expr> substitute(const Expr& expr, const Substitution& values);

} // namespace sourir
