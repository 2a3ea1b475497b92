// The types of operators against the results of the operators.
#include "sourir/semantics/primop.h"
#include "sourir/syntax/expr.h"

#include <gtest/gtest.h>

#include <array>

namespace sourir {
namespace {

// One value of each type, but an array; no division by zero.
const std::array kValues = {Value(),    Value(true),  Value(std::int64_t{3}),
                            Value(2.5), Value(Str{}), Value(FunName{})};

TEST(OperatorTypes, UnaryOperators) {
  for (const UnaryOp op : {UnaryOp::Neg, UnaryOp::Not})
    for (const Value v : kValues) {
      const auto result = apply_unary(op, v);
      EXPECT_EQ(static_cast<bool>(result), operand_types(op).has(kind_of(v)));
      if (result) {
        EXPECT_EQ(result_types(op, kind_of(v)), TypeSet(kind_of(result.value)));
      }
    }
}

TEST(OperatorTypes, BinaryOperators) {
  for (int i = 0; i <= static_cast<int>(BinaryOp::Or); ++i)
    for (const Value a : kValues)
      for (const Value b : kValues) {
        const auto op = static_cast<BinaryOp>(i);
        const auto result = apply_binary(op, a, b);
        const TypeSet needed = operand_types(op);
        EXPECT_EQ(static_cast<bool>(result), needed.has(kind_of(a)) && needed.has(kind_of(b)));
        if (!result) continue;
        EXPECT_EQ(result_types(op, kind_of(a), kind_of(b)), TypeSet(kind_of(result.value)));
      }
}

// Of sets: the results of all pairs of their types.
TEST(OperatorTypes, SetsOfNumbers) {
  EXPECT_EQ(result_types(BinaryOp::Add, kNumbers, kNumbers), kNumbers);
  EXPECT_EQ(result_types(BinaryOp::Add, kNumbers, Kind::Float), TypeSet(Kind::Float));
  EXPECT_EQ(result_types(BinaryOp::Add, Kind::Nil, Kind::Int), TypeSet());
  EXPECT_EQ(result_types(BinaryOp::Lt, kAnyType, kAnyType), TypeSet(Kind::Bool));
  EXPECT_EQ(result_types(UnaryOp::Neg, kAnyType), kNumbers);
}

} // namespace
} // namespace sourir
