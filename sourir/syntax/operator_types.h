// The types that operators need of their operands, and those of their results: what the analyses of
// the AST, of type feedback and of native code infer alike.
#pragma once

#include "sourir/syntax/expr.h"
#include "sourir/syntax/type_set.h"

namespace sourir {

constexpr bool is_arithmetic(BinaryOp op) { return op >= BinaryOp::Add && op <= BinaryOp::Mod; }

// An operand of another type is an error.
constexpr TypeSet operand_types(UnaryOp op) {
  return op == UnaryOp::Not ? TypeSet(Kind::Bool) : kNumbers;
}
constexpr TypeSet operand_types(BinaryOp op) {
  if (op == BinaryOp::Eq || op == BinaryOp::Ne) return kAnyType;
  return op == BinaryOp::And || op == BinaryOp::Or ? TypeSet(Kind::Bool) : kNumbers;
}

// The types of the result if there is no error. Empty: arithmetic that always is one.
constexpr TypeSet result_types(UnaryOp op, TypeSet operand) {
  return op == UnaryOp::Not ? TypeSet(Kind::Bool) : operand & kNumbers;
}
constexpr TypeSet result_types(BinaryOp op, TypeSet a, TypeSet b) {
  if (!is_arithmetic(op)) return Kind::Bool;
  TypeSet result = (a | b) & TypeSet(Kind::Float);
  if (a.has(Kind::Int) && b.has(Kind::Int)) result |= Kind::Int;
  return result;
}

} // namespace sourir
